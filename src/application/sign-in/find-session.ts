import { isOpen, isToBeNoted, type Session } from '../../domain/sign-in/session.js';
import type { Clock } from '../ports/clock.js';
import type { Secrets } from '../ports/secrets.js';
import type { Sessions } from '../ports/sign-in/sessions.js';
import { unlessUnavailable } from '../unavailable.js';

/**
 * Whose page this is, by the secret that a browser brings; null for one that has ended, or never was. A page
 * that asks by itself is no visit: it keeps nobody signed in.
 */
export const findSession = (parts: {
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly clock: Clock;
}) =>
  async function findSession(secret: string, isVisit = true): Promise<Session | null> {
    const { sessions, secrets, clock } = parts;
    const hash = secrets.hash(secret);
    const now = clock();
    const session = await sessions.find(hash);
    if (session === null || !isOpen(session, now)) return null;
    // A visit that cannot be noted now costs nobody the page; the next one is noted.
    if (isVisit && isToBeNoted(session, now)) await sessions.note(hash, now).catch(unlessUnavailable);
    return session;
  };

export type FindSession = ReturnType<typeof findSession>;
