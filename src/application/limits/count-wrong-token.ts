import { WRONG_TOKEN_WARNINGS, WRONG_TOKENS_FROM_ADDRESS } from '../../domain/limits/attempt.js';
import type { CountAttempt } from './count-attempt.js';

/**
 * Counts a wrong token against a client address. Returns null while there are not too many, else the seconds to wait.
 * `warn` is called at most once per address and minute: a log must not grow with guesses.
 */
export const countWrongToken = (parts: {
  readonly countAttempt: CountAttempt;
  readonly warn: (clientAddress: string) => void;
}) =>
  async function countWrongToken(clientAddress: string): Promise<number | null> {
    const subject = `token ${clientAddress}`;
    const hasWarned = (await parts.countAttempt(subject, WRONG_TOKEN_WARNINGS)) !== null;
    if (!hasWarned) parts.warn(clientAddress);
    return parts.countAttempt(subject, WRONG_TOKENS_FROM_ADDRESS);
  };

export type CountWrongToken = ReturnType<typeof countWrongToken>;
