import type { Knex } from 'knex';
import { UsageTally } from '../../../application/limits/usage-tally.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { keptSince, type UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Written together at intervals: what a request costs is a number in memory. An instance that dies loses that much. */
const WRITE_EVERY_MS = 2_000;

/** So many rows at most are written, or dropped, by one statement: each stays well within its time. */
const ROWS_MAX = 5_000;

/** Requests of all instances, added up in Postgres. */
export class PostgresUsageHistory implements UsageHistory {
  readonly #db: Knex;
  readonly #timer: NodeJS.Timeout;
  #tally = new UsageTally();
  #writing: Promise<void> = Promise.resolve();
  /** Rows of before this were dropped by this instance. */
  #keptSince: Moment | '' = '';

  constructor(db: Knex) {
    this.#db = db;
    this.#timer = setInterval(() => void this.write(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  note(key: KeyId, status: number, at: Moment): void {
    this.#tally.note(key, status, at);
  }

  async of(keys: readonly KeyId[], since: Moment): Promise<readonly UsageCount[]> {
    await this.write();
    return withErrorMapping(() =>
      this.#db('usage')
        .select('key_id as key', 'hour', 'status_class as statusClass', 'requests')
        .whereRaw('key_id = any(?)', [[...keys]])
        .where('hour', '>=', since),
    );
  }

  /** Writes what was noted so far; one after another. While the database is away it is kept. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const noted = this.#tally.all();
      this.#tally = new UsageTally();
      for (let from = 0; from < noted.length; from += ROWS_MAX) {
        try {
          await this.#add(noted.slice(from, from + ROWS_MAX));
        } catch {
          for (const count of noted.slice(from)) this.#tally.add(count);
          return;
        }
      }
      // With the first requests of an hour: who counts none makes no rows either.
      await this.#dropOld(noted).catch(() => {});
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  /**
   * In a transaction: a statement whose answer was late may be run later all the same, but without its commit nothing is
   * counted twice when it is written again. In the order of the key, so that two instances never wait for each other.
   */
  async #add(counts: readonly UsageCount[]): Promise<void> {
    await withErrorMapping(() =>
      this.#db.transaction((transaction) =>
        transaction.raw(
          `insert into usage (key_id, hour, status_class, requests)
           select * from unnest(?::text[], ?::timestamptz[], ?::text[], ?::bigint[]) order by 1, 2, 3
           on conflict (key_id, hour, status_class) do update set requests = usage.requests + excluded.requests`,
          [
            counts.map(({ key }) => key),
            counts.map(({ hour }) => hour),
            counts.map(({ statusClass }) => statusClass),
            counts.map(({ requests }) => requests),
          ],
        ),
      ),
    );
  }

  /** Once an hour; rows that another instance is about to drop are left to it. */
  async #dropOld(noted: readonly UsageCount[]): Promise<void> {
    const [latest] = noted
      .map(({ hour }) => hour)
      .sort()
      .reverse();
    if (latest === undefined || keptSince(latest) <= this.#keptSince) return;
    let dropped = ROWS_MAX;
    while (dropped === ROWS_MAX) {
      const { rowCount } = await this.#db.raw(
        `delete from usage where ctid = any (array (
           select ctid from usage where hour < ? order by hour limit ? for update skip locked
         ))`,
        [keptSince(latest), ROWS_MAX],
      );
      dropped = Number(rowCount);
    }
    this.#keptSince = keptSince(latest);
  }
}
