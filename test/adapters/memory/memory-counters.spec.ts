import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { receiptOf } from '../../support/objects/receipts.js';

/** Additions to the contract suite of `Counters` (test/contract): here the clock alone decides when a counter expires. */
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

  it('expire to the microsecond after their lifetime, which begins with the first permit', async () => {
    await counters.take([permit('a')], 1);
    now = plus(NOON, 20 * SECOND);
    expect((await counters.take([permit('a')], 1)).counts).to.deep.equal([2]);
    now = plus(NOON, 30 * SECOND - 1);
    expect((await counters.take([permit('a')], 0)).counts).to.deep.equal([2]);
    now = plus(NOON, 30 * SECOND);
    expect((await counters.take([permit('a')], 0)).counts).to.deep.equal([0]);
    expect((await counters.take([permit('a')], 1)).counts).to.deep.equal([1]);
  });

  it('survive every sweep during their lifetime', async () => {
    await counters.take([permit('short', 5, 30), permit('long', 5, 600)], 1);
    for (let minute = 1; minute <= 9; minute += 1) {
      now = plus(NOON, minute * 60 * SECOND);
      expect((await counters.take([permit('short'), permit('long')], 0)).counts).to.deep.equal([0, 1]);
    }
  });

  it('are deleted after they have expired, so that new client addresses do not fill the memory', async () => {
    for (let i = 0; i < 1_000; i += 1) await counters.take([permit(`address ${i}`)], 1);
    expect(counters.size).to.equal(1_000);
    now = plus(NOON, 90 * SECOND);
    await counters.take([permit('one more')], 1);
    expect(counters.size).to.equal(1);
  });

  it('ignore permits that are given back after they have expired', async () => {
    await counters.take([permit('a')], 3);
    now = plus(NOON, 30 * SECOND);
    await counters.giveBack(receiptOf([permit('a')]), 3);
    expect((await counters.take([permit('a')], 5)).counts).to.deep.equal([5]);
  });

  it('keep their counts when the clock is set back', async () => {
    await counters.take([permit('a')], 2);
    now = plus(NOON, -60 * SECOND);
    expect((await counters.take([permit('a')], 1)).counts).to.deep.equal([3]);
  });
});
