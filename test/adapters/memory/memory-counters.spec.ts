import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

/** What memory adds to the contract of every `Counters` (test/contract): counters end by the clock alone. */
describe('Counters in memory', () => {
  let now: Moment;
  let counters: MemoryCounters;
  beforeEach(() => {
    now = NOON;
    counters = new MemoryCounters(() => now);
  });

  const permit = (counter: string, capacity = 5, lifetimeSeconds = 30): Permit => ({
    counter,
    capacity,
    lifetimeSeconds,
  });

  it('live to the microsecond as long as they were given, from their first count', async () => {
    await counters.take([permit('a')], 1);
    now = plus(NOON, 20 * SECOND);
    expect((await counters.take([permit('a')], 1)).counts).to.deep.equal([2]);
    now = plus(NOON, 30 * SECOND - 1);
    expect((await counters.take([permit('a')], 0)).counts).to.deep.equal([2]);
    now = plus(NOON, 30 * SECOND);
    expect((await counters.take([permit('a')], 0)).counts).to.deep.equal([0]);
    expect((await counters.take([permit('a')], 1)).counts).to.deep.equal([1]);
  });

  it('survive the sweep as long as they live, however often it comes', async () => {
    await counters.take([permit('short', 5, 30), permit('long', 5, 600)], 1);
    for (let minute = 1; minute <= 9; minute += 1) {
      now = plus(NOON, minute * 60 * SECOND);
      expect((await counters.take([permit('short'), permit('long')], 0)).counts).to.deep.equal([0, 1]);
    }
  });

  it('are forgotten once they have ended: strangers bring one for each address', async () => {
    for (let i = 0; i < 1_000; i += 1) await counters.take([permit(`address ${i}`)], 1);
    expect(counters.size).to.equal(1_000);
    now = plus(NOON, 90 * SECOND);
    await counters.take([permit('one more')], 1);
    expect(counters.size).to.equal(1);
  });

  it('take back nothing into a counter that has ended', async () => {
    await counters.take([permit('a')], 3);
    now = plus(NOON, 30 * SECOND);
    await counters.giveBack([permit('a')], 3);
    expect((await counters.take([permit('a')], 5)).counts).to.deep.equal([5]);
  });

  it('go on as they were when the clock is set back', async () => {
    await counters.take([permit('a')], 2);
    now = plus(NOON, -60 * SECOND);
    expect((await counters.take([permit('a')], 1)).counts).to.deep.equal([3]);
  });
});
