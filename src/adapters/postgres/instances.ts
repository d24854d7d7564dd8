import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { withErrorMapping } from './unavailable-database.js';

/** An instance that has not been seen for this long is gone. */
const GONE_AFTER = "interval '5 seconds'";

/**
 * The state of the instances on one database, with words for an operator. Several instances without shared counters are
 * degraded: each of them grants the whole limit of a subscription.
 */
export const instancesState = (others: number, areCountersShared: boolean) =>
  others === 0 || areCountersShared
    ? ({ state: 'up', text: `${others + 1} on this database` } as const)
    : ({
        state: 'degraded',
        text: `${others + 1} on this database without REDIS_URL: each counts limits on its own`,
      } as const);

/** The row by which an instance is known to the others on the same database, kept fresh by `beat` once a second. */
export class Instances {
  readonly id = randomUUID();
  readonly #db: Knex;
  readonly #onOthers: (others: number) => void;
  #others = 0;
  #clockOffset: number | null = null;

  /** `onOthers` hears each time how many other instances there are, whenever that changes. */
  constructor(db: Knex, onOthers: (others: number) => void) {
    this.#db = db;
    this.#onOthers = onOthers;
  }

  get others(): number {
    return this.#others;
  }

  async beat(): Promise<void> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly { others: number }[] }>(
        `with forgotten as (
           delete from instance where seen_at < clock_timestamp() - interval '1 minute' and id <> ?
         ), seen as (
           insert into instance (id, seen_at, clock_offset) values (?, clock_timestamp(), ?)
           on conflict (id) do update set seen_at = excluded.seen_at, 
             clock_offset = greatest(instance.clock_offset, excluded.clock_offset)
         )
         select count(*) as others from instance
         where id <> ? and seen_at > clock_timestamp() - ${GONE_AFTER}`,
        [this.id, this.id, this.#clockOffset, this.id],
      ),
    );
    const others = rows[0]?.others ?? 0;
    if (others === this.#others) return;
    this.#others = others;
    this.#onOthers(others);
  }

  /** Says that this instance shows the time of an offset (D5). */
  async showClock(offset: number): Promise<void> {
    this.#clockOffset = offset;
    await withErrorMapping(() =>
      this.#db('instance').where({ id: this.id }).update({ clock_offset: offset }),
    );
  }

  /** Whether a living instance does not show the time of that offset yet. */
  async isAnyBehind(offset: number): Promise<boolean> {
    const behind = await withErrorMapping<{ id: string } | undefined>(() =>
      this.#db('instance')
        .whereRaw(`seen_at > clock_timestamp() - ${GONE_AFTER}`)
        .whereRaw('clock_offset is not null and clock_offset < ?::bigint', [offset])
        .first('id'),
    );
    return behind !== undefined;
  }

  async close(): Promise<void> {
    await this.#db('instance')
      .where({ id: this.id })
      .delete()
      .catch(() => {}); // Not said goodbye: the others notice by its silence.
  }
}
