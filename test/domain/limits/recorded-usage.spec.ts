import { expect } from 'chai';
import fc from 'fast-check';
import { type Policy, windows } from '../../../src/domain/limits/rate-limit.js';
import { leastUsed, recordedUsage } from '../../../src/domain/limits/recorded-usage.js';
import { countedStatus, NO_REQUESTS, statusClassOf } from '../../../src/domain/limits/usage.js';
import {
  epochSeconds,
  fromEpochMillis,
  type Moment,
  plus,
  SECOND,
  startOfHour,
} from '../../../src/domain/moment.js';
import { keyId, moment, runs } from '../../support/objects/builders.js';

const KEY = keyId('key_1');
const minute: Policy = { name: 'minute', quota: 60, seconds: 60 };
const day: Policy = { name: 'day', quota: 5_000, seconds: 86_400 };
const MIDNIGHT = moment('2026-03-01T00:00:00Z');

describe('The usage from which a lost count is restored (D35)', () => {
  const usageOf = (policy: Policy, now: Moment, key = KEY) =>
    windows('s', [policy], now).map((window) => recordedUsage(window, key))[0];

  it('is that since the beginning of the window, once the window is a minute old', () => {
    const since = epochSeconds(MIDNIGHT);
    const at = (seconds: number) => usageOf(day, plus(MIDNIGHT, seconds * SECOND));
    expect([at(0), at(59.9)]).to.deep.equal([null, null]);
    expect([at(60), at(86_399.9)]).to.deep.equal(Array(2).fill({ key: KEY, since }));
  });

  it('is not known for windows that are not whole hours, and without a key', () => {
    const noon = plus(MIDNIGHT, 43_200 * SECOND);
    for (const seconds of [1, 7, 60, 5_400]) {
      expect(usageOf({ ...minute, seconds }, plus(noon, 100 * SECOND)), `${seconds}`).to.equal(null);
    }
    const [window] = windows('s', [day], noon);
    expect(window === undefined ? undefined : recordedUsage(window, null)).to.equal(null);
  });

  it('begins with an hour of the usage, in the same window', () => {
    const policies = fc.constantFrom(3_600, 7_200, 86_400, 604_800).map((seconds) => ({ ...day, seconds }));
    const seconds = fc.integer({ min: 0, max: 4e9 });
    fc.assert(
      fc.property(policies, seconds, (policy, second) => {
        const usage = usageOf(policy, fromEpochMillis(second * 1_000));
        expect(usage === null).to.equal(second % policy.seconds < 60);
        if (usage === null || usage === undefined) return;
        const since = fromEpochMillis(usage.since * 1_000);
        expect(startOfHour(since)).to.equal(since);
        expect(Math.floor(usage.since / policy.seconds)).to.equal(Math.floor(second / policy.seconds));
      }),
      runs(300),
    );
  });
});

describe('The count to which a lost one is raised (D35)', () => {
  it('is never more than the permits that the same requests have taken, and lacks no successful one', () => {
    /** How requests end: with their status, and whether they took no permit or got it back (D34). */
    const ends = fc.constantFrom(
      ...[200, 206, 304, 400, 500, 503].flatMap((status) => [
        { status, isFree: false },
        { status, isFree: true },
      ]),
      ...[401, 402, 403, 429].map((status) => ({ status, isFree: true })),
    );
    fc.assert(
      fc.property(fc.array(ends, { maxLength: 50 }), (requests) => {
        const counted = { ...NO_REQUESTS };
        for (const { status, isFree } of requests) counted[statusClassOf(countedStatus(status, isFree))] += 1;
        const permits = requests.filter(({ isFree }) => !isFree);
        expect(leastUsed(counted)).to.be.at.most(permits.length);
        expect(leastUsed(counted)).to.equal(permits.filter(({ status }) => status < 300).length);
      }),
      runs(300),
    );
  });
});
