import { holdsKey, withoutKeys } from './key-redaction.js';

declare const keyValue: unique symbol;
declare const keyHash: unique symbol;

/** The full value of a key. It leaves the service once, in the answer that creates it. */
export type KeyValue = string & { readonly [keyValue]: true };

/** The one-way hash of a key's value: all that is stored of it beside the prefix (contract section 2.12). */
export type KeyHash = string & { readonly [keyHash]: true };

/** 32 random bytes as URL-safe base64: the last of 43 characters has 16 possible values (D17). */
const SUFFIX = '[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]';

/** Characters of a key that may be shown (D42). */
const SHOWN = 12;

export type KeyFormat = {
  /** The value that a suffix makes. */
  readonly compose: (suffix: string) => KeyValue;
  /** The value, if such a key can exist at all. */
  readonly recognise: (text: string) => KeyValue | undefined;
  readonly startsLikeKey: (text: string) => boolean;
  /** What is shown of a key, and so of a text that may be one. */
  readonly shown: (text: string) => string;
  /** Whether something in a text looks like a key, whole or nearly so, with its prefix in any letter case. */
  readonly holdsKey: (text: string) => boolean;
  /**
   * A text that may be written down: whatever looks like a key is cut to its prefix, also where its
   * characters are percent-encoded, however often (D19). A text without one stays as it is, up to 2 048 characters:
   * the rest is cut off, and `…` says so.
   */
  readonly redact: (text: string) => string;
};

/** `prefix` is made of the characters of a suffix: else one key could hide the start of the next. */
export function keyFormat(prefix: string): KeyFormat {
  const escaped = prefix.replace(/[^A-Za-z0-9]/g, '\\$&');
  const whole = new RegExp(`^${escaped}${SUFFIX}$`);
  return {
    compose: (suffix) => `${prefix}${suffix}` as KeyValue,
    recognise: (text) => (whole.test(text) ? (text as KeyValue) : undefined),
    startsLikeKey: (text) => text.startsWith(prefix),
    shown: (text) => text.slice(0, SHOWN),
    holdsKey: (text) => holdsKey(text, prefix),
    redact: (text) => withoutKeys(text, prefix),
  };
}
