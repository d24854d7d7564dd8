declare const emailAddress: unique symbol;

/** An e-mail address as accounts have it: in lower case (D42). */
export type EmailAddress = string & { readonly [emailAddress]: true };

const LENGTH_MAX = 254;

/** Nothing that a mail server could read as two addresses, and nothing that nobody sees. */
const NAME = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}@<>()[\]\\,;:"]+`;
/** A word of a host in any script; many are written with marks. */
const WORD = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?`;
/** One name, one `@`, one host of one word or more; only a mail that arrives proves more. */
const FORM = new RegExp(String.raw`^${NAME}@${WORD}(?:\.${WORD})*$`, 'u');

/** The address in a text that somebody typed; undefined when there is none. */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const trimmed = text.trim().toLowerCase();
  return trimmed.length <= LENGTH_MAX && FORM.test(trimmed) ? (trimmed as EmailAddress) : undefined;
}

/** The mailbox behind an address, as far as it can be told: what follows a plus leads to the same one nearly everywhere. */
export const mailboxOf = (email: EmailAddress): string => email.replace(/\+[^@]*(?=@)/, '');
