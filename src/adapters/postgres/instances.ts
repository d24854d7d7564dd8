import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Moment } from '../../domain/moment.js';
import type { ClockReading } from './compared-clock.js';
import { withErrorMapping } from './unavailable-database.js';

/** An instance without a heartbeat for this long counts as stopped. */
const STOPPED_AFTER = "interval '5 seconds'";

/** Heartbeats without another instance after which an instance is alone. One that starts at the same time is in the second. */
const ALONE_BEATS = 2;

/**
 * The state of the instances on one database, with a text for operators. Several instances without shared counters are
 * degraded: each of them grants the full limit of a subscription.
 */
const instancesState = (others: number, areCountersShared: boolean) =>
  others === 0 || areCountersShared
    ? ({ state: 'up', text: `${others + 1} on this database` } as const)
    : ({
        state: 'degraded',
        text: `${others + 1} on this database without REDIS_URL: each counts limits separately`,
      } as const);

type Parts = {
  /** Read only when the number of instances changes. */
  readonly log: Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;
  readonly config: { readonly redisUrls: readonly string[] };
};

type Hooks = {
  readonly closing: (close: () => Promise<void>) => void;
  readonly reporting: (
    report: () => ReturnType<typeof instancesState> & { readonly dependency: string },
  ) => void;
};

/** The instances on a database (D43). Each change of their number is logged, and `/readyz` shows it. */
export function monitoredInstances(
  db: Knex,
  parts: Parts,
  { closing, reporting }: Hooks,
  onClock: (reading: ClockReading) => void,
): Instances {
  const stateOf = (others: number) => instancesState(others, parts.config.redisUrls.length > 0);
  const report = (others: number) => {
    const { state, text } = stateOf(others);
    parts.log[state === 'up' ? 'info' : 'warn']({ dependency: 'instances', others }, `instances: ${text}`);
  };
  const instances = new Instances(db, report, onClock);
  closing(() => instances.close());
  reporting(() => ({ dependency: 'instances', ...stateOf(instances.others) }));
  return instances;
}

/** The row that announces an instance to the others on the same database. `beat` renews it once a second. */
export class Instances {
  readonly id = randomUUID();
  readonly #db: Knex;
  readonly #onOthers: (others: number) => void;
  readonly #onClock: (reading: ClockReading) => void;
  #others = 0;
  /** The last heartbeats in a row that succeeded and saw no other instance. */
  #aloneBeats = 0;
  #clockOffset: number | null = null;

  /**
   * Calls `onOthers` with the number of other instances each time that number changes, and `onClock` with the clock of the
   * database at each heartbeat.
   */
  constructor(
    db: Knex,
    onOthers: (others: number) => void,
    onClock: (reading: ClockReading) => void = () => {},
  ) {
    this.#db = db;
    this.#onOthers = onOthers;
    this.#onClock = onClock;
  }

  get others(): number {
    return this.#others;
  }

  /** Whether no other instance runs. Another one that starts is noticed with the next heartbeat. */
  get isAlone(): boolean {
    return this.#aloneBeats >= ALONE_BEATS;
  }

  async beat(): Promise<void> {
    const others = await this.#renew().catch((fault: unknown) => {
      this.#aloneBeats = 0;
      throw fault;
    });
    this.#aloneBeats = others === 0 ? this.#aloneBeats + 1 : 0;
    if (others === this.#others) return;
    this.#others = others;
    this.#onOthers(others);
  }

  /** Returns the number of other instances. */
  async #renew(): Promise<number> {
    const sentAt = performance.now();
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly { others: number; shown: Moment }[] }>(
        `with forgotten as (
           delete from instance where seen_at < clock_timestamp() - interval '1 minute' and id <> ?
         ), seen as (
           insert into instance (id, seen_at, clock_offset) values (?, clock_timestamp(), ?)
           on conflict (id) do update set seen_at = excluded.seen_at, 
             clock_offset = greatest(instance.clock_offset, excluded.clock_offset)
         )
         select count(*) as others, clock_timestamp() as shown from instance
         where id <> ? and seen_at > clock_timestamp() - ${STOPPED_AFTER}`,
        [this.id, this.id, this.#clockOffset, this.id],
      ),
    );
    const [row] = rows;
    if (row === undefined) return 0;
    this.#onClock({ shown: row.shown, sentAt, receivedAt: performance.now() });
    return row.others;
  }

  /** Stores the offset that the test clock of this instance shows, in microseconds (D5). */
  async showClock(offset: number): Promise<void> {
    this.#clockOffset = offset;
    await withErrorMapping(() =>
      this.#db('instance').where({ id: this.id }).update({ clock_offset: offset }),
    );
  }

  /** Whether the test clock of a running instance does not show this offset yet. */
  async isAnyBehind(offset: number): Promise<boolean> {
    const behind = await withErrorMapping<{ id: string } | undefined>(() =>
      this.#db('instance')
        .whereRaw(`seen_at > clock_timestamp() - ${STOPPED_AFTER}`)
        .whereRaw('clock_offset is not null and clock_offset < ?::bigint', [offset])
        .first('id'),
    );
    return behind !== undefined;
  }

  async close(): Promise<void> {
    await this.#db('instance')
      .where({ id: this.id })
      .delete()
      .catch(() => {}); // The others notice after 5 s without a heartbeat.
  }
}
