import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { answered } from './unavailable-database.js';

const BEAT_EVERY_MS = 1_000;
/** An instance that has not been seen for this long is gone. */
const GONE_AFTER = "interval '5 seconds'";

/** The row by which an instance is known to the others on the same database, kept fresh by a heartbeat. */
export class Instances {
  readonly id = randomUUID();
  readonly #db: Knex;
  readonly #onOthers: (others: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #others = 0;

  /** `onOthers` hears each time how many other instances there are, whenever that changes. */
  constructor(db: Knex, onOthers: (others: number) => void) {
    this.#db = db;
    this.#onOthers = onOthers;
  }

  get others(): number {
    return this.#others;
  }

  async start(): Promise<void> {
    await this.beat();
    this.#timer = setInterval(() => {
      this.beat().catch(() => {}); // Away: whoever asks the database for more will say so.
    }, BEAT_EVERY_MS);
    this.#timer.unref();
  }

  async beat(): Promise<void> {
    const { rows } = await answered(() =>
      this.#db.raw<{ rows: readonly { others: number }[] }>(
        `with forgotten as (
           delete from instance where seen_at < clock_timestamp() - interval '1 minute' and id <> ?
         ), seen as (
           insert into instance (id, seen_at) values (?, clock_timestamp())
           on conflict (id) do update set seen_at = excluded.seen_at
         )
         select count(*) as others from instance
         where id <> ? and seen_at > clock_timestamp() - ${GONE_AFTER}`,
        [this.id, this.id, this.id],
      ),
    );
    const others = rows[0]?.others ?? 0;
    if (others === this.#others) return;
    this.#others = others;
    this.#onOthers(others);
  }

  /** Says that this instance shows the time of an offset (D5). */
  async showClock(offset: number): Promise<void> {
    await answered(() => this.#db('instance').where({ id: this.id }).update({ clock_offset: offset }));
  }

  /** Whether a living instance does not show the time of that offset yet. */
  async isAnyBehind(offset: number): Promise<boolean> {
    const behind = await answered<{ id: string } | undefined>(() =>
      this.#db('instance')
        .whereRaw(`seen_at > clock_timestamp() - ${GONE_AFTER}`)
        .whereRaw('clock_offset is not null and clock_offset < ?::bigint', [offset])
        .first('id'),
    );
    return behind !== undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#db('instance')
      .where({ id: this.id })
      .delete()
      .catch(() => {}); // Not said goodbye: the others notice by its silence.
  }
}
