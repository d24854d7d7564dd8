import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { TestClock } from '../../application/ports/clock.js';
import { Unavailable, unlessUnavailable } from '../../application/unavailable.js';
import { type Duration, type Moment, plus } from '../../domain/moment.js';
import type { Instances } from './instances.js';
import { withErrorMapping } from './unavailable-database.js';

const READ_EVERY_MS = 25;
const WAIT_AT_MOST_MS = 10_000;

/** Throws any other error. */
function isUnavailable(fault: unknown): true {
  unlessUnavailable(fault);
  return true;
}

/**
 * The test clock of all instances on one database. The offset is stored in a row, so that it survives restarts (D5). Each
 * instance reads it every 25 ms and stores the offset that it shows.
 */
export class PostgresTestClock implements TestClock {
  readonly #db: Knex;
  readonly #instances: Instances;
  readonly #systemClock: () => Moment;
  #offset: Duration = 0;
  /** How often this instance has advanced the clock. */
  #advances = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(db: Knex, instances: Instances, systemClock: () => Moment) {
    this.#db = db;
    this.#instances = instances;
    this.#systemClock = systemClock;
  }

  readonly now = (): Moment => plus(this.#systemClock(), this.#offset);

  /** Reads the offset, so that the first request already gets the time of the other instances. */
  async start(): Promise<void> {
    // If this write fails, the next heartbeat of the instance writes the offset.
    await this.#instances.showClock(this.#offset).catch(unlessUnavailable);
    await this.#readFirst();
    this.#scheduleRead();
  }

  async advance(by: Duration): Promise<void> {
    const updated = await withErrorMapping<readonly { offset_micros: number }[]>(() =>
      this.#db('test_clock')
        .update({ offset_micros: this.#db.raw('offset_micros + ?::bigint', [by]) })
        .returning('offset_micros'),
    );
    this.#advances += 1;
    await this.#show(updated[0]?.offset_micros ?? this.#offset);
    const offset = this.#offset;
    for (let waited = 0; await this.#instances.isAnyBehind(offset); waited += READ_EVERY_MS) {
      if (waited > WAIT_AT_MOST_MS) throw new Unavailable('the clock of another instance');
      await setTimeout(READ_EVERY_MS);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /**
   * Before the first read, the time is that of the system. An instance that served with it would refuse webhooks of the test
   * time, and its due work would run too early, so it waits for a Postgres that restarts.
   */
  async #readFirst(): Promise<void> {
    for (let waited = 0; waited <= WAIT_AT_MOST_MS && !this.#closed; waited += READ_EVERY_MS) {
      const failed = await this.#read().then(() => false, isUnavailable);
      if (!failed) return;
      await setTimeout(READ_EVERY_MS);
    }
  }

  /** A read that began before an advance may have the offset before it, and is not used. */
  async #read(): Promise<void> {
    const advances = this.#advances;
    const row = await withErrorMapping<{ offset_micros: number } | undefined>(() =>
      this.#db('test_clock').first('offset_micros'),
    );
    if (row === undefined || this.#advances !== advances) return;
    if (row.offset_micros !== this.#offset) await this.#show(row.offset_micros);
  }

  /**
   * Applies the offset before it stores it. Otherwise `advance` on another instance could return before this instance
   * shows the new time.
   */
  async #show(offset: Duration): Promise<void> {
    this.#offset = offset;
    await this.#instances.showClock(offset);
  }

  #scheduleRead(): void {
    if (this.#closed) return;
    this.#timer = globalThis.setTimeout(async () => {
      await this.#read().catch(() => {}); // Database unavailable: the clock keeps its last offset.
      this.#scheduleRead();
    }, READ_EVERY_MS);
    this.#timer.unref();
  }
}
