import type { Knex } from 'knex';
import type { TestClock } from '../../application/ports/clock.js';
import { Unavailable, unlessUnavailable } from '../../application/unavailable.js';
import { type Duration, type Moment, plus } from '../../domain/moment.js';
import type { Instances } from './instances.js';
import { withErrorMapping } from './unavailable-database.js';

const LOOK_EVERY_MS = 25;
const WAIT_AT_MOST_MS = 10_000;

/**
 * The test clock of all instances on one database: the offset is a row there, so that it survives
 * restarts (D5). Each instance looks at it many times a second and writes what it shows.
 */
export class PostgresTestClock implements TestClock {
  readonly #db: Knex;
  readonly #instances: Instances;
  readonly #systemClock: () => Moment;
  #offset: Duration = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(db: Knex, instances: Instances, systemClock: () => Moment) {
    this.#db = db;
    this.#instances = instances;
    this.#systemClock = systemClock;
  }

  readonly now = (): Moment => plus(this.#systemClock(), this.#offset);

  /** Shows the time of the others from the first request on. */
  async start(): Promise<void> {
    // What cannot be written now the heartbeat of the instance writes later.
    await this.#instances.showClock(this.#offset).catch(unlessUnavailable);
    await this.#read().catch(unlessUnavailable);
    this.#readLater();
  }

  async advance(by: Duration): Promise<void> {
    const moved = await withErrorMapping<readonly { offset_micros: number }[]>(() =>
      this.#db('test_clock')
        .update({ offset_micros: this.#db.raw('offset_micros + ?::bigint', [by]) })
        .returning('offset_micros'),
    );
    await this.#show(moved[0]?.offset_micros ?? this.#offset);
    const offset = this.#offset;
    for (let waited = 0; await this.#instances.isAnyBehind(offset); waited += LOOK_EVERY_MS) {
      if (waited > WAIT_AT_MOST_MS) throw new Unavailable('the clock of another instance');
      await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const row = await withErrorMapping<{ offset_micros: number } | undefined>(() =>
      this.#db('test_clock').first('offset_micros'),
    );
    if (row !== undefined && row.offset_micros !== this.#offset) await this.#show(row.offset_micros);
  }

  /** Shown first, then said: who waits for this instance must not be told too early. */
  async #show(offset: Duration): Promise<void> {
    this.#offset = offset;
    await this.#instances.showClock(offset);
  }

  #readLater(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(async () => {
      await this.#read().catch(() => {}); // Away: the time goes on from the offset that is known.
      this.#readLater();
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }
}
