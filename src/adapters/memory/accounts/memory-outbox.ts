import type { Outbox, QueuedNotice } from '../../../application/ports/accounts/outbox.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';
import { oldest } from '../oldest.js';

type Queued = QueuedNotice & {
  readonly dueAt: Moment;
  readonly attemptedAt: Moment;
  readonly isClaimed: boolean;
};

/** Notices of one process. Of a closed notice it keeps only the occasion, so that it is not sent twice. */
export class MemoryOutbox implements Outbox {
  /** The ids of closed notices, each with the time of its last attempt. */
  readonly #closed = new Map<string, Moment>();
  readonly #queued = new Map<string, Queued>();

  add(account: AccountId, notices: readonly Notice[], dueAt: Moment): void {
    for (const notice of notices) {
      const id = `${account}/${notice.occasion}`;
      if (this.#closed.has(id) || this.#queued.has(id)) continue;
      this.#queued.set(id, { id, notice, attempts: 0, dueAt, attemptedAt: dueAt, isClaimed: false });
    }
  }

  async queue(account: AccountId, notice: Notice, dueAt: Moment): Promise<void> {
    this.add(account, [notice], dueAt);
  }

  async claim(now: Moment, count: number): Promise<readonly QueuedNotice[]> {
    return [...this.#queued.values()]
      .filter(({ dueAt, isClaimed }) => !isClaimed && dueAt <= now)
      .sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1))
      .slice(0, count)
      .map((queued) => {
        const claimed = { ...queued, attempts: queued.attempts + 1, attemptedAt: now, isClaimed: true };
        this.#queued.set(queued.id, claimed);
        const { id, notice, attempts } = claimed;
        return { id, notice, attempts };
      });
  }

  async close(id: string): Promise<void> {
    const queued = this.#queued.get(id);
    if (queued === undefined) return;
    this.#queued.delete(id);
    this.#closed.set(id, queued.attemptedAt);
  }

  /** Deletes all notices of an account, waiting ones too. */
  deleteOf(account: AccountId): void {
    for (const ids of [this.#closed, this.#queued]) {
      for (const id of ids.keys()) if (id.startsWith(`${account}/`)) ids.delete(id);
    }
  }

  /** Deletes closed notices that were last attempted until then, the oldest first. */
  deleteExpired(until: Moment, count: number): number {
    const ids = oldest(this.#closed, until, count);
    for (const id of ids) this.#closed.delete(id);
    return ids.length;
  }

  async putBack(id: string, dueAt: Moment): Promise<void> {
    const queued = this.#queued.get(id);
    if (queued !== undefined) this.#queued.set(id, { ...queued, dueAt, isClaimed: false });
  }
}
