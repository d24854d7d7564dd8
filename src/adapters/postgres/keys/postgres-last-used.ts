import type { Knex } from 'knex';
import type { LastUsed } from '../../../application/ports/keys/last-used.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';

/** The interval of the batched writes. A request only sets a value in memory. */
const WRITE_EVERY_MS = 1_000;

/** When keys were last used, in the table of keys; the latest time of all instances counts. */
export class PostgresLastUsed implements LastUsed {
  readonly #db: Knex;
  readonly #timer: NodeJS.Timeout;
  #notes = new Map<KeyId, Moment>();
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Knex) {
    this.#db = db;
    this.#timer = setInterval(() => void this.write(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  note(key: KeyId, at: Moment): void {
    this.#notes.set(key, at);
  }

  async of(keys: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Moment>> {
    await this.write();
    const rows = await withErrorMapping<readonly { readonly id: KeyId; readonly last_used_at: Moment }[]>(
      () => this.#db('api_key').whereIn('id', keys).whereNotNull('last_used_at').select('id', 'last_used_at'),
    );
    return new Map(rows.map(({ id, last_used_at }) => [id, last_used_at]));
  }

  /** Writes the times noted so far; writes run one after another. If a write fails, the times stay in memory. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const notes = this.#notes;
      if (notes.size === 0) return;
      this.#notes = new Map();
      try {
        await this.#store(notes);
      } catch {
        this.#notes = new Map([...notes, ...this.#notes]);
      }
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  /** Locks the rows in the order of their ids, so that two instances cannot deadlock. */
  async #store(notes: ReadonlyMap<KeyId, Moment>): Promise<void> {
    const entries = [...notes].sort(([a], [b]) => (a < b ? -1 : 1));
    await withErrorMapping(() =>
      this.#db.raw(
        `with noted as (
           select * from unnest(?::text[], ?::timestamptz[]) as noted (id, at)
         ), locked as (
           select api_key.id from api_key join noted using (id) order by api_key.id for update of api_key
         )
         update api_key set last_used_at = greatest(api_key.last_used_at, noted.at)
         from noted join locked using (id) where api_key.id = noted.id`,
        [entries.map(([id]) => id), entries.map(([, at]) => at)],
      ),
    );
  }
}
