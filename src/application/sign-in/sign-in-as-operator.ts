import { ATTEMPTS_FROM_ADDRESS } from '../../domain/limits/attempt.js';
import type { CountAttempt } from '../limits/count-attempt.js';
import type { Secrets } from '../ports/secrets.js';
import type { StartedSession, StartSession } from './start-session.js';

export type OperatorAnswer =
  | { readonly outcome: 'signed in'; readonly started: StartedSession }
  | { readonly outcome: 'wrong token' }
  | { readonly outcome: 'too many'; readonly retryAfterSeconds: number };

/** Signs an operator in to the console with the operator token (D30). */
export const signInAsOperator = (parts: {
  readonly token: string;
  /** Called for each correct or wrong token, for logs and metrics. */
  readonly note: (isCorrect: boolean, clientAddress: string) => void;
  readonly secrets: Secrets;
  readonly countAttempt: CountAttempt;
  readonly startSession: StartSession;
}) =>
  async function signInAsOperator(
    sent: string,
    clientAddress: string,
    previous: string | null,
  ): Promise<OperatorAnswer> {
    const { secrets } = parts;
    const wait = await parts.countAttempt(`operator ${clientAddress}`, ATTEMPTS_FROM_ADDRESS);
    if (wait !== null) return { outcome: 'too many', retryAfterSeconds: wait };
    // Comparing hashes reveals nothing about the token through its timing.
    const token = secrets.hash(parts.token);
    const isCorrect = secrets.hash(sent) === token;
    parts.note(isCorrect, clientAddress);
    if (!isCorrect) return { outcome: 'wrong token' };
    const holder = { kind: 'operator', name: 'operator', by: { token } } as const;
    const started = await parts.startSession(holder, previous);
    return { outcome: 'signed in', started };
  };

export type SignInAsOperator = ReturnType<typeof signInAsOperator>;
