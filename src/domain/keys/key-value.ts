import { containsKey, withoutKeys } from './key-redaction.js';

declare const keyValue: unique symbol;
declare const keyHash: unique symbol;

/** The full value of a key. The service shows it once, in the answer that creates it. */
export type KeyValue = string & { readonly [keyValue]: true };

/** The one-way hash of the value of a key. Only the hash and the prefix are stored (contract section 2.12). */
export type KeyHash = string & { readonly [keyHash]: true };

/** 32 random bytes as URL-safe base64: the last of 43 characters has 16 possible values (D17). */
const SUFFIX = '[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]';

/** The number of leading characters of a key that may be shown (D42). */
const SHOWN = 12;

export type KeyFormat = {
  /** The value with this suffix. */
  readonly compose: (suffix: string) => KeyValue;
  /** The text as a key value if it has the format of a key; else undefined. */
  readonly recognise: (text: string) => KeyValue | undefined;
  readonly startsLikeKey: (text: string) => boolean;
  /** The leading characters that may be shown of a key, or of a text that may be one. */
  readonly shown: (text: string) => string;
  /** Whether a text contains something like a key, complete or nearly so, with its prefix in any letter case. */
  readonly containsKey: (text: string) => boolean;
  /**
   * A text that may be logged or stored: everything like a key is cut to its prefix, at any number of levels of
   * percent-encoding (D19). A text without a key is unchanged. After 2 048 characters a text is cut, and `…` marks the
   * cut.
   */
  readonly redact: (text: string) => string;
};

/**
 * `prefix` may have only characters that a suffix may have. Otherwise the end of one key could hide the start of the
 * next.
 */
export function keyFormat(prefix: string): KeyFormat {
  const escaped = prefix.replace(/[^A-Za-z0-9]/g, '\\$&');
  const whole = new RegExp(`^${escaped}${SUFFIX}$`);
  return {
    compose: (suffix) => `${prefix}${suffix}` as KeyValue,
    recognise: (text) => (whole.test(text) ? (text as KeyValue) : undefined),
    startsLikeKey: (text) => text.startsWith(prefix),
    shown: (text) => text.slice(0, SHOWN),
    containsKey: (text) => containsKey(text, prefix),
    redact: (text) => withoutKeys(text, prefix),
  };
}

/** What the values of sandbox keys have after the prefix of all keys (D77). */
const SANDBOX = 'test_';

/**
 * The format of sandbox keys: the prefix, `test_` and a suffix like that of other keys. No text has both formats, because their
 * lengths differ. Texts are redacted, and carriers chosen, as for other keys.
 */
export function sandboxKeyFormat(prefix: string): KeyFormat {
  const { compose, recognise } = keyFormat(`${prefix}${SANDBOX}`);
  return { ...keyFormat(prefix), compose, recognise, shown: (text) => text.slice(0, SHOWN + SANDBOX.length) };
}

/** Anyone may use this one: the front page shows it. Its limits are those of the client address (D77). */
export const publicSandboxKey = ({ compose }: Pick<KeyFormat, 'compose'>): KeyValue =>
  compose('public_key_that_everyone_may_use_for_trying');
