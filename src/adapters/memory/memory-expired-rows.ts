import type { ExpiredRows } from '../../application/ports/expired-rows.js';
import type { Moment } from '../../domain/moment.js';
import type { ExpiringTable, Expiry } from '../../domain/retention.js';

type Expiring = { deleteExpired(until: Moment, count: number, newestKept: number): number };
type Logged = { readonly log: Expiring };

type ExpiringStores = {
  readonly oneTimeTokens: Expiring;
  readonly sessions: Expiring;
  readonly usage: Expiring;
  readonly destinations: Expiring;
  readonly requestLogs: Expiring;
  readonly outbox: Expiring;
  readonly inbox: Expiring;
  readonly accounts: Logged;
  readonly feed: Logged;
};

/** Deletes expired objects of the stores in memory. */
export class MemoryExpiredRows implements ExpiredRows {
  readonly #stores: Readonly<Record<ExpiringTable, Expiring>>;

  constructor(stores: ExpiringStores) {
    const { oneTimeTokens, sessions, usage, outbox, inbox, accounts, destinations, requestLogs } = stores;
    this.#stores = {
      one_time_token: oneTimeTokens,
      session: sessions,
      usage,
      notice: outbox,
      payment_event: inbox,
      account_change: accounts.log,
      destination_delivery: destinations,
      request_log: requestLogs,
    };
  }

  async delete(table: ExpiringTable, { until, newestKept }: Expiry, count: number): Promise<number> {
    return this.#stores[table].deleteExpired(until, count, newestKept);
  }
}
