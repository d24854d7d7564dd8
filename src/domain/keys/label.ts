import { isReadable, READABLE } from '../readable-text.js';
import type { Refusal } from '../refusal.js';
import type { KeyFormat } from './key-value.js';

declare const label: unique symbol;

/** The name that a holder gives a key (D26). */
export type Label = string & { readonly [label]: true };

export const LABEL_LENGTH = { minimum: 1, maximum: 64 } as const;

const FORM = `must have ${LABEL_LENGTH.minimum} to ${LABEL_LENGTH.maximum} characters, ${READABLE}; spaces at both ends are removed`;
const NO_KEY = 'must not contain an API key: labels are shown, emailed and logged';

/**
 * Reads a label: 1 to 64 characters after trimming, which people can read (D26), and no text that looks like a key,
 * because the service never stores keys (D19).
 */
export function readLabel(
  text: string,
  { containsKey }: Pick<KeyFormat, 'containsKey'>,
): Label | Refusal<'invalid_body'> {
  const trimmed = text.trim();
  const { length } = [...trimmed];
  const isWithin = length >= LABEL_LENGTH.minimum && length <= LABEL_LENGTH.maximum;
  if (!isWithin || !isReadable(trimmed)) return invalidLabel(FORM);
  return containsKey(trimmed) ? invalidLabel(NO_KEY) : (trimmed as Label);
}

const invalidLabel = (message: string): Refusal<'invalid_body'> => ({
  refused: 'invalid_body',
  faults: [{ parameter: '/label', code: 'invalid_label', message }],
});
