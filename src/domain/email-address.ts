declare const emailAddress: unique symbol;

/** An e-mail address as accounts have it: in lower case (D42). */
export type EmailAddress = string & { readonly [emailAddress]: true };

const LENGTH_MAX = 254;

/** One name, one `@`, one host with a dot or a single word; only a mail that arrives proves more. */
const FORM = /^[^\s\p{Cc}\p{Cs}@<>()[\]\\,;:"]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

/** The address in a text that somebody typed; undefined when there is none. */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const trimmed = text.trim().toLowerCase();
  return trimmed.length <= LENGTH_MAX && FORM.test(trimmed) ? (trimmed as EmailAddress) : undefined;
}
