declare const emailAddress: unique symbol;

/** An email address in the form in which accounts store it: lower case (D42). */
export type EmailAddress = string & { readonly [emailAddress]: true };

const LENGTH_MAX = 254;

/** No characters that a mail server could read as two addresses, and no invisible ones. */
const NAME = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\]\\,;:"]+`;
/** One label of a host name, in any script; some scripts need combining marks. */
const HOST_LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?`;
/**
 * One name, one `@`, and a host of one label or more. Whether the address exists is known only when an email arrives
 * there.
 */
const FORM = new RegExp(String.raw`^${NAME}@${HOST_LABEL}(?:\.${HOST_LABEL})*$`, 'u');

/** The address in a typed text, trimmed and in lower case; undefined if it is not an email address. */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LENGTH_MAX || !FORM.test(trimmed)) return undefined;
  return foldedAddress(trimmed) as EmailAddress | undefined;
}

/** An address in lower case, as stored; undefined if the lower-case form can be the address of another person. */
export const foldedAddress = (address: string): string | undefined =>
  [...address].every(keepsItsCase) ? address.toLowerCase() : undefined;

/**
 * Scripts with two letter cases, and characters of no script (`Common`). In other scripts, letters that have a case are
 * refused.
 */
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
 * Whether a character has the same length and the same script in both letter cases, and is ASCII in both or in neither.
 * Other characters are refused, because a change of case would merge two addresses into one: the Kelvin sign becomes
 * `k`, `ſ` becomes `S`, `ß` becomes `SS`. A mail server may change the case too, and then the owner of one address gets
 * the email of the other.
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
