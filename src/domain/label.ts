import type { Refusal } from './refusal.js';

declare const label: unique symbol;

/** What a holder calls a key (D26). */
export type Label = string & { readonly [label]: true };

export const LABEL_LENGTH = { minimum: 1, maximum: 64 } as const;

/** 1 to 64 characters once trimmed, any but control characters (D26). */
export function readLabel(text: string): Label | Refusal<'invalid_body'> {
  const trimmed = text.trim();
  const { length } = [...trimmed];
  if (length >= LABEL_LENGTH.minimum && length <= LABEL_LENGTH.maximum && !/[\p{Cc}\p{Cs}]/u.test(trimmed)) {
    return trimmed as Label;
  }
  return {
    refused: 'invalid_body',
    faults: [
      {
        parameter: '/label',
        code: 'invalid_label',
        message: `must have ${LABEL_LENGTH.minimum} to ${LABEL_LENGTH.maximum} characters once trimmed, none of them a control character`,
      },
    ],
  };
}
