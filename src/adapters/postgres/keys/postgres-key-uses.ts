import type { Knex } from 'knex';
import type { KeyUse, KeyUses } from '../../../application/ports/keys/key-uses.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';

/** The interval of the batched writes. A request only sets a value in memory. */
const WRITE_EVERY_MS = 1_000;

/**
 * When keys were used, in the table of keys; of all instances the earliest first and the latest last use count, each as an
 * instance noted it last within a second. Versions before this one write only the last use: it is the first one of which the
 * service knows.
 */
export class PostgresKeyUses implements KeyUses {
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

  async of(keys: readonly KeyId[]): Promise<ReadonlyMap<KeyId, KeyUse>> {
    await this.write();
    const rows = await withErrorMapping<readonly (KeyUse & { readonly id: KeyId })[]>(() =>
      this.#db('api_key')
        .whereIn('id', keys)
        .whereNotNull('last_used_at')
        .select({
          id: 'id',
          firstAt: this.#db.raw('coalesce(first_used_at, last_used_at)'),
          lastAt: 'last_used_at',
        }),
    );
    return new Map(rows.map(({ id, ...use }) => [id, use]));
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
         update api_key set
           first_used_at = least(coalesce(api_key.first_used_at, api_key.last_used_at), noted.at),
           last_used_at = greatest(api_key.last_used_at, noted.at)
         from noted join locked using (id) where api_key.id = noted.id`,
        [entries.map(([id]) => id), entries.map(([, at]) => at)],
      ),
    );
  }
}
