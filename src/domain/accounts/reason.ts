import type { KeyFormat } from '../keys/key-value.js';
import { isReadable, READABLE } from '../readable-text.js';
import type { Refusal } from '../refusal.js';

declare const reason: unique symbol;

/** The reason that an operator gives for an action (D25, D116). */
export type Reason = string & { readonly [reason]: true };

export const REASON_LENGTH = { minimum: 1, maximum: 500 } as const;

/**
 * Reads a reason: 1 to 500 characters after trimming, which people can read, with line breaks. Keys in it are cut
 * to their prefix, because the audit log keeps reasons until the account is deleted (D19).
 */
export function readReason(
  text: string,
  { redact }: Pick<KeyFormat, 'redact'>,
): Reason | Refusal<'invalid_body'> {
  // Browsers send every line break as CRLF.
  const trimmed = redact(text.replaceAll('\r\n', '\n').trim());
  const { length } = [...trimmed];
  const isWithin = length >= REASON_LENGTH.minimum && length <= REASON_LENGTH.maximum;
  if (isWithin && isReadable(trimmed.replaceAll('\n', ''))) return trimmed as Reason;
  return {
    refused: 'invalid_body',
    faults: [
      {
        parameter: '/reason',
        code: 'invalid_reason',
        message: `must have ${REASON_LENGTH.minimum} to ${REASON_LENGTH.maximum} characters, ${READABLE}; line breaks are allowed, and spaces at both ends are removed`,
      },
    ],
  };
}
