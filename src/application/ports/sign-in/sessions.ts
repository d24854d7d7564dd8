import type { Moment } from '../../../domain/moment.js';
import type { Session, SessionHolder } from '../../../domain/sign-in/session.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';

/**
 * Who is signed in, by the hash of the secret in their cookie.
 *
 * What each adapter keeps:
 * - a session that was started is found by every instance, until it is ended: from then on by none;
 * - one that has run out (`sessionEndsAt`) may be gone; it never judges that itself;
 * - `note` only moves forward, and brings back no session that was ended;
 * - `endAll` ends those of one holder and of nobody else;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface Sessions {
  start(hash: SecretHash, session: Session): Promise<void>;
  find(hash: SecretHash): Promise<Session | null>;
  note(hash: SecretHash, seenAt: Moment): Promise<void>;
  end(hash: SecretHash): Promise<void>;
  endAll(holder: SessionHolder): Promise<void>;
}
