/** Longer texts of publishers are cut, so that a page stays small; the API returns them in full. */
const TEXT_SHOWN = 600;

export const shortened = (text: string, shown = TEXT_SHOWN): string =>
  text.length > shown ? `${text.slice(0, shown)}…` : text;
