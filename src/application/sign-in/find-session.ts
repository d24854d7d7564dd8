import { isOpen, needsVisitNote, type Session } from '../../domain/sign-in/session.js';
import type { Clock } from '../ports/clock.js';
import type { Secrets } from '../ports/secrets.js';
import type { Sessions } from '../ports/sign-in/sessions.js';
import { unlessUnavailable } from '../unavailable.js';

/**
 * The session of the secret that a browser sent; null if it has ended or never existed. Requests that the script of an
 * open page repeats are not visits: they do not prolong the session.
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
    // A visit that cannot be stored now must not fail the page; the next one is stored.
    if (isVisit && needsVisitNote(session, now)) await sessions.note(hash, now).catch(unlessUnavailable);
    return session;
  };

export type FindSession = ReturnType<typeof findSession>;
