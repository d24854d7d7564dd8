import { expect } from 'chai';
import fc from 'fast-check';
import { PLANS } from '../../../src/domain/billing/plan.js';
import {
  anonymousPolicy,
  exhausted,
  type Limit,
  limitsOf,
  type Policy,
  permitOf,
  policiesOf,
  retryAfterSeconds,
  tightest,
  windows,
} from '../../../src/domain/limits/rate-limit.js';
import { epochSeconds, fromEpochMillis, plus, SECOND } from '../../../src/domain/moment.js';
import { moment, runs } from '../../support/objects/builders.js';

const minute: Policy = { name: 'minute', quota: 60, seconds: 60 };
const day: Policy = { name: 'day', quota: 5_000, seconds: 86_400 };

const moments = fc
  .tuple(fc.integer({ min: 0, max: 4e9 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([seconds, micros]) => plus(fromEpochMillis(seconds * 1_000), micros));
const policies = fc.record({
  name: fc.constantFrom('minute', 'day'),
  quota: fc.integer({ min: 1, max: 1e6 }),
  seconds: fc.constantFrom(1, 7, 60, 3_600, 86_400),
});

const limit = (remaining: number, secondsLeft: number, name = 'minute'): Limit => ({
  policy: { ...minute, name },
  endsAt: 1_000_000 + secondsLeft,
  secondsLeft,
  remaining,
});

describe('The windows of a limit (D34)', () => {
  it('are those of the plan, a minute and a day (D34)', () => {
    expect(policiesOf(PLANS.free)).to.deep.equal([minute, day]);
    expect(policiesOf(PLANS.pro).map(({ quota }) => quota)).to.deep.equal([3_000, 1_000_000]);
    expect(anonymousPolicy(30)).to.deep.equal({ name: 'anonymous', quota: 30, seconds: 60 });
  });

  it('begin at whole multiples of their length since 1970 (D34)', () => {
    fc.assert(
      fc.property(moments, policies, (now, policy) => {
        for (const { endsAt, secondsLeft } of windows('s', [policy], now)) {
          expect(endsAt % policy.seconds).to.equal(0);
          expect(endsAt - epochSeconds(now)).to.equal(secondsLeft);
          expect(secondsLeft).to.be.within(1, policy.seconds);
        }
      }),
      runs(300),
    );
  });

  it('have the same counter exactly if they are the same window (D34)', () => {
    fc.assert(
      fc.property(moments, moments, policies, (a, b, policy) => {
        const same = (at: typeof a) => Math.floor(epochSeconds(at) / policy.seconds);
        const counter = (at: typeof a) => windows('s', [policy], at).map((window) => window.counter);
        expect(counter(a)[0] === counter(b)[0]).to.equal(same(a) === same(b));
      }),
      runs(300),
    );
  });

  it('change at the full minute, not a microsecond earlier (D34)', () => {
    const before = windows('s', [minute], moment('2026-03-01T12:00:59.999999Z'));
    const after = windows('s', [minute], moment('2026-03-01T12:01:00Z'));
    expect(before).to.have.nested.property('[0].secondsLeft', 1);
    expect(after).to.have.nested.property('[0].secondsLeft', 60);
    expect(before.at(0)?.counter).to.not.equal(after.at(0)?.counter);
    expect(before.at(0)?.endsAt).to.equal(epochSeconds(moment('2026-03-01T12:01:00Z')));
  });

  it('of two subjects or two policies never have the same counter (D34)', () => {
    const now = moment('1970-01-01T00:00:30Z');
    const counters = ['a', 'b']
      .flatMap((subject) => windows(subject, [minute, day], now))
      .map((w) => w.counter);
    expect(new Set(counters).size).to.equal(4);
  });

  it('of one subject are on one node of a Redis cluster: each name has the same hash tag', () => {
    const [a, b] = windows('sub-1', [minute, day], moment('2026-03-01T12:00:00Z'));
    expect(a?.counter).to.match(/^\{sub-1\}/);
    expect(b?.counter).to.match(/^\{sub-1\}/);
  });

  it('keep their counter until 120 seconds after their end, for an instance whose clock is behind (D34)', () => {
    fc.assert(
      fc.property(moments, policies, (now, policy) => {
        for (const window of windows('s', [policy], now)) {
          const permit = permitOf(window);
          expect(epochSeconds(now) + permit.lifetimeSeconds).to.equal(window.endsAt + 120);
          expect(permit.capacity).to.equal(policy.quota);
          expect(permit.counter).to.equal(window.counter);
        }
      }),
      runs(100),
    );
  });
});

describe('The limits of a subject (D33)', () => {
  const open = windows('s', [minute, day], moment('2026-03-01T12:00:10Z'));

  it('have the quota minus the taken permits left, never less than 0 (D33)', () => {
    const remaining = (...counts: number[]) => limitsOf(open, counts).map((each) => each.remaining);
    expect(remaining(1, 1)).to.deep.equal([59, 4_999]);
    expect(remaining(60, 61)).to.deep.equal([0, 4_939]);
    expect(remaining(75, 9_000)).to.deep.equal([0, 0]);
  });

  it('have the whole quota left if nothing was counted (D33)', () => {
    expect(limitsOf(open, []).map((each) => each.remaining)).to.deep.equal([60, 5_000]);
  });

  it('show policy, end and seconds left of each window, in order (D33)', () => {
    expect(limitsOf(open, [1, 2])).to.deep.equal([
      {
        policy: minute,
        endsAt: epochSeconds(moment('2026-03-01T12:01:00Z')),
        secondsLeft: 50,
        remaining: 59,
      },
      {
        policy: day,
        endsAt: epochSeconds(moment('2026-03-02T00:00:00Z')),
        secondsLeft: 43_190,
        remaining: 4_998,
      },
    ]);
  });

  it('have a tightest one: the least remaining, and of equals the one that ends last (D33)', () => {
    expect(tightest([limit(5, 10), limit(4, 20, 'day')])).to.deep.equal(limit(4, 20, 'day'));
    expect(tightest([limit(4, 20), limit(5, 10, 'day')])).to.deep.equal(limit(4, 20));
    expect(tightest([limit(0, 10), limit(0, 20, 'day')])).to.deep.equal(limit(0, 20, 'day'));
    expect(tightest([limit(0, 20, 'day'), limit(0, 10)])).to.deep.equal(limit(0, 20, 'day'));
    expect(tightest([])).to.equal(undefined);
  });

  it('are not changed by finding the tightest (D33)', () => {
    const limits = [limit(5, 10), limit(4, 20, 'day')];
    tightest(limits);
    expect(limits.map(({ remaining }) => remaining)).to.deep.equal([5, 4]);
  });

  it('are exhausted only where nothing is left (D33)', () => {
    expect(exhausted([limit(0, 10), limit(1, 20, 'day')])).to.deep.equal([limit(0, 10)]);
    expect(exhausted([limit(3, 10)])).to.deep.equal([]);
  });

  it('allow a retry when every exhausted window has ended, after at least a second (D33)', () => {
    expect(retryAfterSeconds([limit(0, 10), limit(7, 9_000, 'day')])).to.equal(10);
    expect(retryAfterSeconds([limit(0, 10), limit(0, 9_000, 'day')])).to.equal(9_000);
    expect(retryAfterSeconds([limit(0, 0)])).to.equal(1);
    expect(retryAfterSeconds([])).to.equal(1);
  });

  it('allow a retry at a time at which new windows are open (D33)', () => {
    fc.assert(
      fc.property(moments, fc.boolean(), fc.boolean(), (now, minuteFull, dayFull) => {
        const before = windows('s', [minute, day], now);
        const limits = limitsOf(before, [minuteFull ? 60 : 0, dayFull ? 5_000 : 0]);
        const later = windows('s', [minute, day], plus(now, retryAfterSeconds(limits) * SECOND));
        const fresh = (i: number) => later[i]?.counter !== before[i]?.counter;
        if (minuteFull) expect(fresh(0)).to.equal(true);
        if (dayFull) expect(fresh(1)).to.equal(true);
      }),
      runs(200),
    );
  });
});
