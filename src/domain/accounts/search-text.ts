import type { KeyFormat } from '../keys/key-value.js';

/** What an operator searches for, by what the text may be. */
export type SearchText = {
  /** The first characters of a key. No other character of a key is used (D19). */
  readonly keyPrefix: string;
  /** An id of anything; null if the text has a key, or cannot be an id. */
  readonly id: string | null;
  /** The beginning of an email address or of its domain; null if the text is too short, or has a key. */
  readonly emailPart: string | null;
};

/** An id of the payment processor, or a checkout reference: `cs_1`, `ref_…`. Other texts would be in many payloads. */
const PROCESSOR_ID = /^[a-z]+_(?=.*\d)[\w-]+$/;

/** Whether a payment event may have the text as an id. */
export const isProcessorId = (text: string): boolean => PROCESSOR_ID.test(text);

const ID_LENGTH_MAX = 300;
/** Fewer characters would find a large share of all accounts. */
const PART_LENGTH_MIN = 3;
/** No id or address has control characters or halves of characters, and Postgres does not store them. */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

/** Null if nothing can have the text. */
export function readSearchText(typed: string, format: KeyFormat): SearchText | null {
  const text = typed.trim();
  if (text === '') return null;
  const keyPrefix = format.shown(text);
  const isOther =
    !format.startsLikeKey(text) &&
    !format.containsKey(text) &&
    !UNSTORABLE.test(text) &&
    text.length <= ID_LENGTH_MAX;
  if (!isOther) return { keyPrefix, id: null, emailPart: null };
  const beginning = text.startsWith('@') ? text.slice(1) : text;
  return { keyPrefix, id: text, emailPart: beginning.length < PART_LENGTH_MIN ? null : beginning };
}
