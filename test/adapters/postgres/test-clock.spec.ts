import { expect } from 'chai';
import type { Knex } from 'knex';
import { Instances } from '../../../src/adapters/postgres/instances.js';
import { PostgresTestClock } from '../../../src/adapters/postgres/postgres-test-clock.js';
import { HOUR, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { NOON } from '../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';

/** D5: the offset of the test clock is a row. Every instance shows it, and it survives a restart. */
describe('The test clock in Postgres', () => {
  let schema: Schema;
  const opened: { close: () => Promise<void> }[] = [];
  beforeEach(async () => {
    schema = await freshSchema();
  });
  afterEach(async () => {
    for (const component of opened.splice(0).reverse()) await component.close();
    await schema.close();
  });

  const systemClock = (): Moment => NOON;
  const instance = async () => {
    const db = schema.connect();
    const instances = new Instances(db, () => {});
    const clock = new PostgresTestClock(db, instances, systemClock);
    opened.push(instances, clock);
    await instances.beat();
    await clock.start();
    return { instances, clock };
  };

  it('adds up concurrent advances', async () => {
    const [left, right] = [await instance(), await instance()];
    await Promise.all([left, right, left, right].map(({ clock }) => clock.advance(SECOND)));
    expect([left.clock.now(), right.clock.now()]).to.deep.equal(Array(2).fill(plus(NOON, 4 * SECOND)));
  });

  it('shows the same time after a restart', async () => {
    await (await instance()).clock.advance(HOUR);
    expect((await instance()).clock.now()).to.equal(plus(NOON, HOUR));
  });

  it('does not wait for a stopped instance', async () => {
    const [left, right] = [await instance(), await instance()];
    await right.clock.close();
    await right.instances.close();
    await left.clock.advance(HOUR);
    expect(left.clock.now()).to.equal(plus(NOON, HOUR));
  });
});

type Row = { readonly offset_micros: number };

describe('The test clock of an instance that starts', () => {
  it('is not that of the system while Postgres restarts: the first read is repeated', async () => {
    let reads = 0;
    const starting = Object.assign(new Error('starting up'), { code: '57P03' });
    const first = async (): Promise<Row> => {
      reads += 1;
      if (reads < 3) throw starting;
      return { offset_micros: HOUR };
    };
    const db = (() => ({ first })) as unknown as Knex;
    const instances = { showClock: async () => {} } as unknown as Instances;
    const clock = new PostgresTestClock(db, instances, () => NOON);
    await clock.start();
    expect(clock.now()).to.equal(plus(NOON, HOUR));
    await clock.close();
  });
});

describe('The test clock of an instance that advances it', () => {
  it('does not go back when a read ends that began before the advance', async () => {
    const reads: ((row: Row) => void)[] = [];
    const table = {
      first: () => new Promise<Row>((done) => reads.push(done)),
      update: () => ({ returning: async () => [{ offset_micros: SECOND }] }),
    };
    const db = Object.assign(() => table, { raw: () => '' }) as unknown as Knex;
    const instances = { showClock: async () => {}, isAnyBehind: async () => false } as unknown as Instances;
    const clock = new PostgresTestClock(db, instances, () => NOON);
    const started = clock.start();
    await nextImmediate();
    await clock.advance(SECOND);
    reads[0]?.({ offset_micros: 0 });
    await started;
    expect(clock.now()).to.equal(plus(NOON, SECOND));
    await clock.close();
  });
});
