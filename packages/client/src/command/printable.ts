/** Control characters from outside must not reach a terminal. */
export const printable = (line: string): string => line.replaceAll(/\p{Cc}/gu, '\ufffd');
