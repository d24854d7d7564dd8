import type { Moment } from '../../../domain/moment.js';
import type { Session, SessionHolder } from '../../../domain/sign-in/session.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';

/**
 * The open sessions, by the hash of the secret in the cookie.
 *
 * What every adapter guarantees:
 * - every instance finds a started session until it is ended, and no instance finds it after that;
 * - sessions that have expired (`sessionEndsAt`) are deleted some time later (`ExpiredRows`). It never checks whether one
 *   has: callers do;
 * - `note` only moves `seenAt` forward, and never restores an ended session;
 * - `endAll` ends all sessions of one holder, and no others;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface Sessions {
  start(hash: SecretHash, session: Session): Promise<void>;
  find(hash: SecretHash): Promise<Session | null>;
  note(hash: SecretHash, seenAt: Moment): Promise<void>;
  end(hash: SecretHash): Promise<void>;
  endAll(holder: SessionHolder): Promise<void>;
}
