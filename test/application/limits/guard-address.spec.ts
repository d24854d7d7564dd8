import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { LeasingCounters } from '../../../src/adapters/caching/limits/leasing-counters.js';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { FallbackCounters } from '../../../src/adapters/resilience/fallback-counters.js';
import { GuardAddress } from '../../../src/application/limits/guard-address.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { MICROSECOND, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Counters that are unavailable, or that have a bug. */
const failing = (fault: Error): Counters => ({
  take: () => Promise.reject(fault),
  giveBack: () => Promise.reject(fault),
});

describe('The guard of an address', () => {
  const HERE = '192.0.2.1';
  let now: Moment;
  let guard: GuardAddress;
  const guardOver = (counters: Counters) =>
    new GuardAddress({ counters, clock: () => now, anonymousPerMinute: 3 });
  beforeEach(() => {
    now = NOON;
    guard = guardOver(new MemoryCounters(() => now));
  });

  const remaining = async (address = HERE) => (await guard.peek(address)).map((limit) => limit.remaining);

  it('grants the configured number of requests a minute, and returns how many are left (D33)', async () => {
    const answers = [await guard.take(HERE), await guard.take(HERE), await guard.take(HERE)];
    expect(answers.map(({ granted }) => granted)).to.deep.equal([1, 1, 1]);
    expect(answers.map(({ limits }) => limits[0]?.remaining)).to.deep.equal([2, 1, 0]);
    expect(await guard.take(HERE)).to.deep.include({ granted: 0, limits: await guard.peek(HERE) });
  });

  it('has the policy `anonymous`, with a window of a minute (D33)', async () => {
    expect(await guard.peek(HERE)).to.deep.equal([
      {
        policy: { name: 'anonymous', quota: 3, seconds: 60 },
        endsAt: Date.parse('2026-03-01T12:01:00Z') / 1_000,
        secondsLeft: 60,
        remaining: 3,
      },
    ]);
  });

  it('takes nothing in `peek`', async () => {
    for (let i = 0; i < 10; i += 1) expect(await remaining()).to.deep.equal([3]);
  });

  it('counts each address separately', async () => {
    for (let i = 0; i < 4; i += 1) await guard.take(HERE);
    expect(await remaining('192.0.2.2')).to.deep.equal([3]);
  });

  it('starts again with each minute of the clock (D34)', async () => {
    for (let i = 0; i < 3; i += 1) await guard.take(HERE);
    now = plus(NOON, MINUTE - MICROSECOND);
    expect((await guard.take(HERE)).granted).to.equal(0);
    now = plus(NOON, MINUTE);
    expect((await guard.take(HERE)).granted).to.equal(1);
  });

  it('grants exactly the configured number in a hundred concurrent calls (D35)', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => guard.take(HERE)));
    expect(answers.filter(({ granted }) => granted === 1)).to.have.length(3);
  });

  it('returns full limits in `peek` while the counters are unavailable, but grants nothing (D35)', async () => {
    guard = guardOver(failing(new Unavailable('counters')));
    expect(await remaining()).to.deep.equal([3]);
    expect(await guard.take(HERE).catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
  });

  it('does not hide a bug behind full limits', async () => {
    const bug = new Error('bug in a script');
    guard = guardOver(failing(bug));
    expect(await guard.peek(HERE).catch((fault: unknown) => fault)).to.equal(bug);
  });

  it('keeps at most 48 MB for 100 000 addresses, and nothing of the headers from which they were cut', async () => {
    const heap = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const shared = new MemoryCounters(() => now);
    const fallback = new FallbackCounters(shared, new MemoryCounters(() => now));
    const guards = [guardOver(fallback), guardOver(new LeasingCounters(fallback))];
    const header = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}, ${'x'.repeat(400)}${n}`;
    await guards[1]?.take(HERE);
    const before = heap();
    for (let n = 0; n < 100_000; n += 1) {
      const text = header(n);
      await guards[n % 2]?.take(text.slice(0, text.indexOf(',')));
    }
    const kept = heap() - before;
    console.log(`      100 000 addresses: ${(kept / 1e6).toFixed(1)} MB`);
    expect(shared.size).to.be.above(100_000);
    expect(kept).to.be.below(48e6);
  });
});
