/** Whether a text can be in the database at all: Postgres keeps no U+0000, so what holds one is not there. */
export const isStorable = (text: string): boolean => !text.includes('\0');
