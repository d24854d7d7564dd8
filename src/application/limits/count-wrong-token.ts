import { WRONG_TOKEN_WARNINGS, WRONG_TOKENS_FROM_ADDRESS } from '../../domain/limits/attempt.js';
import type { CountAttempt } from './count-attempt.js';

/**
 * Counts a wrong token against a client address. Returns null if it is within the limit, else the seconds to wait.
 * `warn` is called at most once a minute for each address, so that guesses do not fill the log.
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
