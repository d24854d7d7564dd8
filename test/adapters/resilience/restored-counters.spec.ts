import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { FallbackCounters } from '../../../src/adapters/resilience/fallback-counters.js';
import { RestoredCounters } from '../../../src/adapters/resilience/restored-counters.js';
import type { AccountUsage } from '../../../src/application/ports/limits/account-usage.js';
import type { Counters, RaiseCounts } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { NO_REQUESTS } from '../../../src/domain/limits/usage.js';
import { epochSeconds, type Moment } from '../../../src/domain/moment.js';
import { keyId, NOON, runs } from '../../support/objects/builders.js';

const KEY = keyId('key_1');
const QUOTA = 10;
const SINCE = epochSeconds(NOON);

/** Usage that can be held back, or fail. */
class FakeUsage implements Pick<AccountUsage, 'since'> {
  used = 0;
  fault: Error | null = null;
  readonly asked: (readonly [string, Moment])[] = [];
  #held: Promise<void> = Promise.resolve();

  /** Returns a function that lets the reads go on. */
  hold(): () => void {
    let release = () => {};
    this.#held = new Promise((done) => {
      release = done;
    });
    return () => release();
  }

  async since(key: string, from: Moment) {
    this.asked.push([key, from]);
    await this.#held;
    if (this.fault !== null) throw this.fault;
    return { ...NO_REQUESTS, '2xx': this.used, '4xx': 1_000 };
  }
}

describe('Counters that are restored from the usage (D35)', () => {
  const minute: Permit = { counter: 'minute', capacity: 1_000, lifetimeSeconds: 60, recorded: null };
  const day: Permit = {
    counter: 'day',
    capacity: QUOTA,
    lifetimeSeconds: 86_400,
    recorded: { key: KEY, since: SINCE },
  };
  let stored: MemoryCounters;
  let usage: FakeUsage;
  let counters: RestoredCounters;
  const instance = () => new RestoredCounters(stored, stored.raise, usage);
  beforeEach(() => {
    stored = new MemoryCounters(() => NOON);
    usage = new FakeUsage();
    counters = instance();
  });
  const take = (by = counters, upTo = 1, permits = [minute, day]) => by.take(permits, upTo);
  const counts = () => stored.take([minute, day], 0).counts;

  it('continue from the requests of the usage, and read it once', async () => {
    usage.used = 7;
    expect(await take()).to.deep.include({ granted: 1, counts: [1, 8] });
    for (const count of [9, 10])
      expect(await take()).to.deep.include({ granted: 1, counts: [count - 7, count] });
    expect(await take()).to.deep.include({ granted: 0, counts: [3, 10] });
    expect(usage.asked).to.deep.equal([[KEY, NOON]]);
  });

  it('grant nothing of a used-up quota, and take no permit of the other counters', async () => {
    usage.used = QUOTA;
    const answers = await Promise.all(Array.from({ length: 5 }, () => take()));
    expect(answers.map(({ granted }) => granted)).to.deep.equal([0, 0, 0, 0, 0]);
    expect(counts()).to.deep.equal([0, QUOTA]);
    expect(usage.asked).to.have.length(1);
  });

  it('let calls wait that were counted meanwhile, and no call of another subject', async () => {
    usage.used = QUOTA - 1;
    const release = usage.hold();
    const waiting = [take(), take(), take()];
    const other = [minute, day].map((permit) => ({
      ...permit,
      counter: `other ${permit.counter}`,
      recorded: null,
    }));
    expect(await take(counters, 1, other)).to.deep.include({ granted: 1, counts: [1, 1] });
    release();
    const granted = (await Promise.all(waiting)).map((answer) => answer.granted);
    expect(granted).to.have.members([1, 0, 0]);
    expect(counts()).to.deep.equal([1, QUOTA]);
  });

  it('read no usage for a counter whose usage is not recorded, or that is only read', async () => {
    const unrecorded = { ...day, recorded: null };
    expect(await take(counters, 1, [minute, unrecorded])).to.deep.include({ granted: 1, counts: [1, 1] });
    stored = new MemoryCounters(() => NOON);
    expect(await take(instance(), 0)).to.deep.include({ granted: 0, counts: [0, 0] });
    expect(usage.asked).to.deep.equal([]);
  });

  it('answer at once if the counter is not new', async () => {
    await take();
    expect(counters.take([minute, day], 1)).not.to.be.an.instanceOf(Promise);
  });

  it('begin at 0 if the usage cannot be read: no request is refused for that', async () => {
    usage.fault = new Unavailable('Postgres');
    expect(await take()).to.deep.include({ granted: 1, counts: [1, 1] });
    expect(await take()).to.deep.include({ granted: 1, counts: [2, 2] });
  });

  for (const [title, used, count] of [
    ['keep a greater count that an instance has seen', 4, 7],
    ['continue from the usage if it is greater than the count that an instance has seen', 8, 9],
  ] as const) {
    it(title, async () => {
      const shared: Counters = {
        take: (permits, upTo) => stored.take(permits, upTo),
        giveBack: (receipt, n) => stored.giveBack(receipt, n),
      };
      const raise: RaiseCounts = (permits, least) => stored.raise(permits, least);
      const fallback = new FallbackCounters(shared, new MemoryCounters(() => NOON), raise);
      counters = new RestoredCounters(fallback, raise, usage);
      stored.take([minute, day], 4);
      for (const seen of [5, 6]) expect((await take()).counts).to.deep.equal([seen, seen]);
      stored = new MemoryCounters(() => NOON);
      usage.used = used;
      expect(await take()).to.deep.include({ granted: 1, counts: [7, count] });
      expect(await take()).to.deep.include({ granted: 1, counts: [8, count + 1] });
      expect(await counts()).to.deep.equal([8, count + 1]);
    });
  }

  it('never grant more than the rest of a quota on one instance, and all of it; on several, no less than it', async () => {
    const scenario = fc.record({
      used: fc.nat(QUOTA + 2),
      bursts: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
      instances: fc.constantFrom(1, 1, 3),
    });
    const property = fc.asyncProperty(scenario, async ({ used, bursts, instances }) => {
      stored = new MemoryCounters(() => NOON);
      usage = new FakeUsage();
      usage.used = used;
      const all = Array.from({ length: instances }, instance);
      let granted = 0;
      let asked = 0;
      for (const burst of bursts) {
        const answers = Array.from({ length: burst }, (_, i) => take(all[i % instances]));
        for (const answer of await Promise.all(answers)) granted += answer.granted;
        asked += burst;
      }
      const rest = Math.max(0, QUOTA - used);
      // An instance that has not created the counter does not wait for its restoration: those calls are admitted beside the rest.
      const beside = instances === 1 ? 0 : (bursts[0] ?? 0);
      expect(granted).to.be.within(Math.min(asked, rest), rest + beside);
    });
    await fc.assert(property, runs(300));
  });
});
