import { expect } from 'chai';
import fc from 'fast-check';
import { hourlySince, hourlyUsage } from '../../../src/domain/limits/hourly-usage.js';
import { STATUS_CLASSES, type UsageCount } from '../../../src/domain/limits/usage.js';
import { DAY, HOUR, plus, startOfHour } from '../../../src/domain/moment.js';
import { keyId, moment, NOON, runs } from '../../support/objects/builders.js';

const SINCE = plus(NOON, -2 * HOUR);

const count = fc.record({
  key: fc.constantFrom(keyId('a'), keyId('b')),
  hour: fc.integer({ min: -4, max: 2 }).map((hours) => plus(NOON, hours * HOUR)),
  statusClass: fc.constantFrom(...STATUS_CLASSES),
  requests: fc.integer({ min: 1, max: 100 }),
});

const total = (counts: readonly UsageCount[]) => counts.reduce((sum, { requests }) => sum + requests, 0);

describe('Hourly usage (D74)', () => {
  it('begins with a whole hour, thirty days ago', () => {
    const since = hourlySince(moment('2026-03-31T12:34:56Z'));
    expect(since).to.equal(moment('2026-03-01T12:00:00Z'));
    expect(plus(since, 30 * DAY)).to.equal(startOfHour(moment('2026-03-31T12:34:56Z')));
  });

  it('has each hour and key once, oldest first, and every request since its beginning', () => {
    fc.assert(
      fc.property(fc.array(count, { maxLength: 60 }), (counts) => {
        const rows = hourlyUsage(counts, SINCE);
        const names = rows.map(({ hour, key }) => `${hour} ${key}`);
        expect(names).to.deep.equal([...new Set(names)].sort());
        for (const statusClass of STATUS_CLASSES) {
          const wanted = counts.filter((one) => one.hour >= SINCE && one.statusClass === statusClass);
          const found = rows.reduce((sum, { requests }) => sum + requests[statusClass], 0);
          expect(found).to.equal(total(wanted));
        }
      }),
      runs(200),
    );
  });
});
