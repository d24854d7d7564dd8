import { type Session, type SessionHolder, startSession as starting } from '../../domain/sign-in/session.js';
import type { Clock } from '../ports/clock.js';
import type { Secrets } from '../ports/secrets.js';
import type { Sessions } from '../ports/sign-in/sessions.js';

/** A session with the secret that stands for it, which only the holder's browser is to have. */
export type StartedSession = { readonly session: Session; readonly secret: string };

/** Signs somebody in who has proven who they are: always under a new secret, and the one they came with ends. */
export const startSession = (parts: {
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly clock: Clock;
}) =>
  async function startSession(holder: SessionHolder, previous: string | null): Promise<StartedSession> {
    const { sessions, secrets, clock } = parts;
    if (previous !== null) await sessions.end(secrets.hash(previous));
    const secret = secrets.make();
    const session = starting(holder, clock());
    await sessions.start(secrets.hash(secret), session);
    return { session, secret };
  };

export type StartSession = ReturnType<typeof startSession>;
