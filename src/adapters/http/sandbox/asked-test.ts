import type { Refusal } from '../../../domain/refusal.js';
import { TEST_CODES } from './test-problems.js';

/** The header of the sandbox that asks for an answer to test a client with (D77). */
export const TEST_HEADER = 'Oddswire-Test';

/** Answers that are no problem: the real one later, or only half of it. */
const TEST_BEHAVIOURS = ['slow', 'cut'] as const;
export const TEST_VALUES: readonly string[] = [...TEST_CODES, ...TEST_BEHAVIOURS];

export type AskedTest =
  | { readonly is: (typeof TEST_BEHAVIOURS)[number] }
  | { readonly is: 'problem'; readonly code: (typeof TEST_CODES)[number] }
  | { readonly is: 'invalid'; readonly refusal: Refusal<'invalid_parameter'> };

/** What the header asks for; null if it is absent. */
export function readTest(value: string): AskedTest | null {
  if (value === '') return null;
  const code = TEST_CODES.find((known) => known === value);
  if (code !== undefined) return { is: 'problem', code };
  const is = TEST_BEHAVIOURS.find((known) => known === value);
  if (is !== undefined) return { is };
  const message = `must be one of ${TEST_VALUES.join(', ')}`;
  const faults = [{ parameter: TEST_HEADER, code: 'unknown', message }] as const;
  return { is: 'invalid', refusal: { refused: 'invalid_parameter', faults } };
}
