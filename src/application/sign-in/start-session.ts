import { type Session, type SessionHolder, startSession as starting } from '../../domain/sign-in/session.js';
import type { Clock } from '../ports/clock.js';
import type { Secrets } from '../ports/secrets.js';
import type { Sessions } from '../ports/sign-in/sessions.js';

/** A session with its secret, which only the browser of the holder gets. */
export type StartedSession = { readonly session: Session; readonly secret: string };

/** Starts the session of an authenticated person, always with a new secret, and ends the previous one. */
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
