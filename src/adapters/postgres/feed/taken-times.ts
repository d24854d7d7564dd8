import type { Knex } from 'knex';
import { MICROSECOND, type Moment, plus } from '../../../domain/moment.js';

/** The first read covers this many microseconds above each moment; each further read covers four times as many. */
const FIRST_REACH = 64;

/**
 * The `scored_at` values of the feed that are taken, as far as they were read.
 *
 * The rule `assignScoredAt` is pure and cannot query. If a time was not read yet, `isTaken` records it and returns
 * false. The caller then calls `read` and applies the rule again.
 */
export class TakenTimes {
  readonly #tx: Knex.Transaction;
  readonly #taken = new Set<Moment>();
  readonly #ranges: { readonly from: Moment; readonly until: Moment }[] = [];
  readonly #missing = new Set<Moment>();
  #reach = FIRST_REACH;

  constructor(tx: Knex.Transaction) {
    this.#tx = tx;
  }

  readonly isTaken = (at: Moment): boolean => {
    if (this.#taken.has(at)) return true;
    if (!this.#ranges.some(({ from, until }) => from <= at && at < until)) this.#missing.add(at);
    return false;
  };

  /** Whether every result of `isTaken` since the last `read` was based on stored data. */
  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  async read(): Promise<void> {
    const from = [...this.#missing];
    const reach = this.#reach;
    const { rows } = await this.#tx.raw<{ rows: readonly { scored_at: Moment }[] }>(
      `select found.scored_at from unnest(?::timestamptz[]) as asked (at) cross join lateral (
         select item.scored_at from item
         where item.scored_at >= asked.at and item.scored_at < asked.at + ? * interval '1 microsecond'
       ) as found`,
      [from, reach],
    );
    for (const { scored_at } of rows) this.#taken.add(scored_at);
    for (const at of from) this.#ranges.push({ from: at, until: plus(at, reach * MICROSECOND) });
    this.#missing.clear();
    this.#reach *= 4;
  }
}
