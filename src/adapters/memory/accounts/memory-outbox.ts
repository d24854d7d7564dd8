import type { Outbox, QueuedNotice } from '../../../application/ports/accounts/outbox.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';

/** Notices of one process. It keeps every occasion, so that none is sent twice, but drops closed notices. */
export class MemoryOutbox implements Outbox {
  readonly #occasions = new Set<string>();
  readonly #queued = new Map<string, QueuedNotice & { dueAt: Moment; isClaimed: boolean }>();

  add(account: AccountId, notices: readonly Notice[], dueAt: Moment): void {
    for (const notice of notices) {
      const id = `${account}/${notice.occasion}`;
      if (this.#occasions.has(id)) continue;
      this.#occasions.add(id);
      this.#queued.set(id, { id, notice, attempts: 0, dueAt, isClaimed: false });
    }
  }

  async claim(now: Moment, count: number): Promise<readonly QueuedNotice[]> {
    return [...this.#queued.values()]
      .filter(({ dueAt, isClaimed }) => !isClaimed && dueAt <= now)
      .sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1))
      .slice(0, count)
      .map((queued) => {
        const claimed = { ...queued, attempts: queued.attempts + 1, isClaimed: true };
        this.#queued.set(queued.id, claimed);
        const { id, notice, attempts } = claimed;
        return { id, notice, attempts };
      });
  }

  async close(id: string): Promise<void> {
    this.#queued.delete(id);
  }

  async putBack(id: string, dueAt: Moment): Promise<void> {
    const queued = this.#queued.get(id);
    if (queued !== undefined) this.#queued.set(id, { ...queued, dueAt, isClaimed: false });
  }
}
