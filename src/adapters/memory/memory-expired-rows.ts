import type { ExpiredRows } from '../../application/ports/expired-rows.js';
import type { Moment } from '../../domain/moment.js';
import type { ExpiringTable } from '../../domain/retention.js';

type Expiring = { deleteExpired(until: Moment, count: number): number };

type ExpiringStores = {
  readonly oneTimeTokens: Expiring;
  readonly sessions: Expiring;
  readonly usage: Expiring;
  readonly outbox: Expiring;
  readonly inbox: Expiring;
};

/** Deletes expired objects of the stores in memory. */
export class MemoryExpiredRows implements ExpiredRows {
  readonly #stores: Readonly<Record<ExpiringTable, Expiring>>;

  constructor({ oneTimeTokens, sessions, usage, outbox, inbox }: ExpiringStores) {
    this.#stores = {
      one_time_token: oneTimeTokens,
      session: sessions,
      usage,
      notice: outbox,
      payment_event: inbox,
    };
  }

  async delete(table: ExpiringTable, until: Moment, count: number): Promise<number> {
    return this.#stores[table].deleteExpired(until, count);
  }
}
