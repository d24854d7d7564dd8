declare const emailAddress: unique symbol;

/** An e-mail address in the form in which accounts store it: lower case (D42). */
export type EmailAddress = string & { readonly [emailAddress]: true };

const LENGTH_MAX = 254;

/** No characters that a mail server could read as two addresses, and no invisible ones. */
const NAME = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\]\\,;:"]+`;
/** One label of a host name, in any script; some scripts need combining marks. */
const HOST_LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?`;
/** One name, one `@`, and a host of one label or more. Only a delivered mail proves more. */
const FORM = new RegExp(String.raw`^${NAME}@${HOST_LABEL}(?:\.${HOST_LABEL})*$`, 'u');

/** The address in a typed text, trimmed and folded; undefined if it is not an e-mail address. */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LENGTH_MAX || !FORM.test(trimmed)) return undefined;
  return foldedAddress(trimmed) as EmailAddress | undefined;
}

/** An address in lower case, as stored; undefined if folding would turn it into another person's address. */
export const foldedAddress = (address: string): string | undefined =>
  [...address].every(keepsItsCase) ? address.toLowerCase() : undefined;

/** Scripts with two letter cases, and characters of no script (`Common`). Letters with case of other scripts are refused. */
const SCRIPTS = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Cherokee',
  'Coptic',
  'Glagolitic',
  'Deseret',
  'Osage',
  'Vithkuqi',
  'Old_Hungarian',
  'Warang_Citi',
  'Medefaidrin',
  'Adlam',
  'Common',
].map((script) => new RegExp(`^\\p{Script=${script}}$`, 'u'));

/**
 * Whether changing the letter case keeps the length and the script of a character, and whether it is ASCII. Other
 * characters would merge two addresses into one: the Kelvin sign becomes `k`, `ſ` becomes `S`, `ß` becomes `SS`. A mail
 * server may fold them too, and then the owner of one address gets the mail of the other.
 */
function keepsItsCase(character: string): boolean {
  const lower = character.toLowerCase();
  return [lower, lower.toUpperCase()].every((form) => form === character || isLike(character, form));
}

const isLike = (character: string, form: string): boolean =>
  form.length === character.length &&
  [...form].length === 1 &&
  isAscii(form) === isAscii(character) &&
  SCRIPTS.some((script) => script.test(character) && script.test(form));

const isAscii = (character: string): boolean => character < '\u0080';

/** The likely mailbox of an address: most mail servers ignore a `+` in the name and everything after it. */
export function mailboxOf(email: EmailAddress): string {
  const [plus, at] = [email.indexOf('+'), email.lastIndexOf('@')];
  return plus === -1 ? email : `${email.slice(0, plus)}${email.slice(at)}`;
}
