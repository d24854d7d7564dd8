import type { Sessions } from '../../../application/ports/sign-in/sessions.js';
import type { Moment } from '../../../domain/moment.js';
import { type Session, type SessionHolder, sessionEndsAt } from '../../../domain/sign-in/session.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';
import { oldest } from '../oldest.js';

/** Sessions of one process, for demos and tests. */
export class MemorySessions implements Sessions {
  readonly #sessions = new Map<SecretHash, Session>();

  async start(hash: SecretHash, session: Session): Promise<void> {
    this.#sessions.set(hash, session);
  }

  async find(hash: SecretHash): Promise<Session | null> {
    return this.#sessions.get(hash) ?? null;
  }

  async note(hash: SecretHash, seenAt: Moment): Promise<void> {
    const session = this.#sessions.get(hash);
    if (session !== undefined && session.seenAt < seenAt) this.#sessions.set(hash, { ...session, seenAt });
  }

  async end(hash: SecretHash): Promise<void> {
    this.#sessions.delete(hash);
  }

  /** Deletes sessions that ended until then, the oldest first. */
  deleteExpired(until: Moment, count: number): number {
    const ends = [...this.#sessions].map(([hash, session]) => [hash, sessionEndsAt(session)] as const);
    const expired = oldest(ends, until, count);
    for (const hash of expired) this.#sessions.delete(hash);
    return expired.length;
  }

  async endAll(holder: SessionHolder): Promise<void> {
    for (const [hash, session] of this.#sessions) {
      if (isSame(session.holder, holder)) this.#sessions.delete(hash);
    }
  }
}

const isSame = (one: SessionHolder, other: SessionHolder): boolean =>
  one.kind === 'account'
    ? other.kind === 'account' && one.account === other.account
    : other.kind === 'operator' && one.name === other.name;
