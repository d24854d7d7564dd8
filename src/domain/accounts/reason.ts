import type { KeyFormat } from '../keys/key-value.js';
import type { Refusal } from '../refusal.js';

declare const reason: unique symbol;

/** Why an operator does something, in their own words (D25). */
export type Reason = string & { readonly [reason]: true };

export const REASON_LENGTH = { minimum: 1, maximum: 500 } as const;

/**
 * 1 to 500 characters once trimmed, in lines of any length; no control characters but the ends of lines. Keys in it are
 * cut to their prefix: the audit log keeps reasons for good (D19).
 */
export function readReason(
  text: string,
  { redact }: Pick<KeyFormat, 'redact'>,
): Reason | Refusal<'invalid_body'> {
  // Browsers send the ends of lines in one way, whatever was typed.
  const trimmed = redact(text.replaceAll('\r\n', '\n').trim());
  const { length } = [...trimmed];
  const isWithin = length >= REASON_LENGTH.minimum && length <= REASON_LENGTH.maximum;
  if (isWithin && !/[\p{Cc}\p{Cs}]/u.test(trimmed.replaceAll('\n', ''))) return trimmed as Reason;
  return {
    refused: 'invalid_body',
    faults: [
      {
        parameter: '/reason',
        code: 'invalid_reason',
        message: `must have ${REASON_LENGTH.minimum} to ${REASON_LENGTH.maximum} characters once trimmed, none of them a control character but line breaks`,
      },
    ],
  };
}
