import type { Knex } from 'knex';
import { UsageTally } from '../../../application/limits/usage-tally.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';

/**
 * The interval of the batched writes. A request only increments a number in memory. A killed instance loses the counts
 * of one interval.
 */
const WRITE_EVERY_MS = 2_000;

/** The most rows that one statement writes, so that each stays well below its timeout. */
const ROWS_MAX = 5_000;

/** Request counts of all instances, added up in Postgres. */
export class PostgresUsageHistory implements UsageHistory {
  readonly #db: Knex;
  readonly #timer: NodeJS.Timeout;
  #tally = new UsageTally();
  #writing: Promise<void> = Promise.resolve();

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

  /** Writes the counts noted so far; writes run one after another. If a write fails, the counts stay in memory. */
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
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  /**
   * Uses a transaction, because a statement that timed out here may still run on the server. Without a commit it has no
   * effect, so the retry does not count twice. The rows are in the order of the primary key, so that two instances
   * cannot deadlock.
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
}
