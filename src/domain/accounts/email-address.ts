declare const emailAddress: unique symbol;

/** An e-mail address as accounts have it: in lower case (D42). */
export type EmailAddress = string & { readonly [emailAddress]: true };

const LENGTH_MAX = 254;

/** Nothing that a mail server could read as two addresses, and nothing that nobody sees. */
const NAME = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\]\\,;:"]+`;
/** A word of a host in any script; many are written with marks. */
const ATOM = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?`;
/** One name, one `@`, one host of one word or more; only a mail that arrives proves more. */
const FORM = new RegExp(String.raw`^${NAME}@${ATOM}(?:\.${ATOM})*$`, 'u');

/** The address in a text that somebody typed; undefined when there is none. */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LENGTH_MAX || !FORM.test(trimmed)) return undefined;
  return foldedAddress(trimmed) as EmailAddress | undefined;
}

/** An address as accounts fold theirs; undefined when folding would make it somebody else's. */
export const foldedAddress = (address: string): string | undefined =>
  [...address].every(keepsItsCase) ? address.toLowerCase() : undefined;

/** Scripts with two letter cases, and those characters that belong to no script. A case of another script is refused. */
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
 * Whether a character stays itself in lower and in upper case: as long, of the same script, and ASCII only where it is
 * ASCII. Others would make one address out of two: the Kelvin sign becomes `k`, `ſ` becomes `S`, `ß` becomes `SS`. A
 * mail server may fold them too, so whoever owns the one address would get the mail of the other.
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

/** The mailbox behind an address, as far as it can be told: what follows a plus leads to the same one nearly everywhere. */
export function mailboxOf(email: EmailAddress): string {
  const [plus, at] = [email.indexOf('+'), email.lastIndexOf('@')];
  return plus === -1 ? email : `${email.slice(0, plus)}${email.slice(at)}`;
}
