import { expect } from 'chai';
import fc from 'fast-check';
import {
  countedStatus,
  LAST_24_HOURS,
  LAST_30_DAYS,
  requestsToday,
  retainedSince,
  STATUS_CLASSES,
  type StatusClass,
  spanStart,
  statusClassOf,
  totalOf,
  type UsageCount,
  type UsageSpan,
  usageOver,
  wereOnlyRefusedToday,
} from '../../../src/domain/limits/usage.js';
import {
  between,
  DAY,
  HOUR,
  MICROSECOND,
  plus,
  startOfDay,
  startOfHour,
} from '../../../src/domain/moment.js';
import { keyId, moment, runs } from '../../support/objects/builders.js';

const NOW = moment('2026-03-01T12:34:56.789012Z');
const [ONE, OTHER] = [keyId('one'), keyId('other')];
const SPANS: readonly (readonly [string, UsageSpan])[] = [
  ['the last 24 hours', LAST_24_HOURS],
  ['the last 30 days', LAST_30_DAYS],
];

const count = (hour: string, requests: number, statusClass: StatusClass = '2xx', key = ONE): UsageCount => ({
  key,
  hour: moment(hour),
  statusClass,
  requests,
});

/** Counts of two keys in the 40 days up to a moment, and in the hour after it. */
const counts = fc.array(
  fc.record({
    key: fc.constantFrom(ONE, OTHER),
    hour: fc.integer({ min: -40 * 24, max: 1 }).map((n) => plus(startOfHour(NOW), n * HOUR)),
    statusClass: fc.constantFrom(...STATUS_CLASSES),
    requests: fc.integer({ min: 1, max: 1e6 }),
  }),
);
const total = (some: readonly { readonly requests: number }[]) =>
  some.reduce((sum, { requests }) => sum + requests, 0);

describe('The class of a status', () => {
  // biome-ignore format: a table is read by its columns
  const classes: readonly (readonly [StatusClass, readonly number[]])[] = [
    ['2xx', [200, 204, 299]],
    ['3xx', [300, 304, 399]],
    ['4xx', [400, 401, 402, 429, 499]],
    ['5xx', [500, 503, 599]],
  ];
  for (const [name, statuses] of classes) {
    it(`is ${name} for ${statuses.join(', ')}`, () => {
      expect(statuses.map(statusClassOf)).to.deep.equal(statuses.map(() => name));
    });
  }
});

describe('The status that is counted', () => {
  it('is that of the response, and 304 for one that succeeded and cost nothing (D104)', () => {
    const counted = [200, 101, 400, 503].map((status) => [
      countedStatus(status, false),
      countedStatus(status, true),
    ]);
    expect(counted).to.deep.equal([
      [200, 304],
      [101, 304],
      [400, 400],
      [503, 503],
    ]);
  });
});

describe('Usage over a span', () => {
  it('of 24 hours begins 23 hours before the current hour; of 30 days, 29 days before today', () => {
    expect(spanStart(LAST_24_HOURS, NOW)).to.equal(moment('2026-02-28T13:00:00Z'));
    expect(spanStart(LAST_30_DAYS, NOW)).to.equal(moment('2026-01-31T00:00:00Z'));
  });

  for (const [name, span] of SPANS) {
    it(`has every bucket of ${name}, oldest first, empty ones included`, () => {
      const starts = usageOver(span, [], NOW).map(({ start }) => start);
      expect(starts).to.have.length(span.buckets);
      expect(starts[0]).to.equal(spanStart(span, NOW));
      expect(starts.at(-1)).to.equal(span.startOf(NOW));
      for (const [i, start] of starts.slice(1).entries()) {
        expect(between(starts[i] ?? NOW, start)).to.equal(span.length);
      }
    });

    it(`counts each request of ${name} once, and no others`, () => {
      fc.assert(
        fc.property(counts, fc.constantFrom(ONE, OTHER, null), (some, key) => {
          const starts = usageOver(span, [], NOW).map(({ start }) => start);
          const selected = some.filter(
            (each) => (key === null || each.key === key) && starts.includes(span.startOf(each.hour)),
          );
          const buckets = usageOver(span, some, NOW, key);
          expect(total(buckets)).to.equal(total(selected));
          for (const { start, requests, byStatusClass } of buckets) {
            const inBucket = selected.filter(({ hour }) => span.startOf(hour) === start);
            expect(requests).to.equal(total(inBucket));
            for (const statusClass of STATUS_CLASSES) {
              expect(byStatusClass[statusClass]).to.equal(
                total(inBucket.filter((each) => each.statusClass === statusClass)),
              );
            }
          }
        }),
        runs(100),
      );
    });
  }

  it('separates status classes, and adds up keys', () => {
    const some = [
      count('2026-03-01T11:00:00Z', 5),
      count('2026-03-01T12:00:00Z', 3),
      count('2026-03-01T12:00:00Z', 2, '4xx'),
      count('2026-03-01T12:00:00Z', 7, '2xx', OTHER),
    ];
    expect(usageOver(LAST_24_HOURS, some, NOW).slice(-2)).to.deep.equal([
      { start: '2026-03-01T11:00:00.000000Z', requests: 5, byStatusClass: byClass({ '2xx': 5 }) },
      { start: '2026-03-01T12:00:00.000000Z', requests: 12, byStatusClass: byClass({ '2xx': 10, '4xx': 2 }) },
    ]);
    expect(usageOver(LAST_30_DAYS, some, NOW, ONE).at(-1)).to.deep.equal({
      start: '2026-03-01T00:00:00.000000Z',
      requests: 10,
      byStatusClass: byClass({ '2xx': 8, '4xx': 2 }),
    });
  });

  const byClass = (some: Partial<Record<StatusClass, number>>) => ({
    '2xx': 0,
    '3xx': 0,
    '4xx': 0,
    '5xx': 0,
    ...some,
  });
});

describe('The total of a span', () => {
  it('is the sum of its buckets, overall and by class; that of all keys is the sum of each key', () => {
    fc.assert(
      fc.property(counts, (some) => {
        const total = totalOf(usageOver(LAST_30_DAYS, some, NOW));
        const parts = [ONE, OTHER].map((key) => totalOf(usageOver(LAST_30_DAYS, some, NOW, key)));
        expect(total.requests).to.equal(parts.reduce((sum, { requests }) => sum + requests, 0));
        for (const statusClass of STATUS_CLASSES) {
          const its = parts.reduce((sum, { byStatusClass }) => sum + byStatusClass[statusClass], 0);
          expect(total.byStatusClass[statusClass]).to.equal(its);
        }
        expect(Object.values(total.byStatusClass).reduce((sum, n) => sum + n, 0)).to.equal(total.requests);
      }),
      runs(100),
    );
  });

  it('is 0 without buckets', () => {
    expect(totalOf([])).to.deep.equal({
      requests: 0,
      byStatusClass: { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 },
    });
  });
});

describe('Requests of today', () => {
  it('are those of one key since midnight UTC, whatever the status', () => {
    const some = [
      count('2026-02-28T23:00:00Z', 1),
      count('2026-03-01T00:00:00Z', 10),
      count('2026-03-01T12:00:00Z', 100, '4xx'),
      count('2026-03-01T12:00:00Z', 1_000, '2xx', OTHER),
      count('2026-03-02T00:00:00Z', 10_000),
    ];
    expect(requestsToday(some, ONE, NOW)).to.equal(110);
    expect(requestsToday(some, OTHER, NOW)).to.equal(1_000);
    expect(requestsToday(some, keyId('nobody'), NOW)).to.equal(0);
  });

  it('equal the last day of the chart of 30 days', () => {
    fc.assert(
      fc.property(counts, (some) => {
        expect(requestsToday(some, ONE, NOW)).to.equal(
          usageOver(LAST_30_DAYS, some, NOW, ONE).at(-1)?.requests,
        );
      }),
      runs(100),
    );
  });
});

describe('The requests of a key today', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [title: string, statusClass: StatusClass, hour: string, lastAdmittedAt: string | null, onlyRefused: boolean])[] = [
    ['were only refused if none was admitted today',            '4xx', '2026-03-01T11:00:00Z', '2026-02-15T00:00:00Z', true],
    ['were only refused with a key that was never admitted',    '4xx', '2026-03-01T11:00:00Z', null,                   true],
    ['were not only refused if one was admitted today',         '4xx', '2026-03-01T11:00:00Z', '2026-03-01T00:00:00Z', false],
    ['were not refused if one succeeded, whatever the last use', '2xx', '2026-03-01T11:00:00Z', null,                   false],
    ['are none if all were yesterday',                          '4xx', '2026-02-28T23:00:00Z', null,                   false],
  ];
  for (const [title, statusClass, hour, lastAdmittedAt, onlyRefused] of cases) {
    it(title, () => {
      const counts = [{ key: ONE, hour: moment(hour), statusClass, requests: 2 }];
      const last = lastAdmittedAt === null ? null : moment(lastAdmittedAt);
      expect(wereOnlyRefusedToday(counts, ONE, last, NOW)).to.equal(onlyRefused);
      expect(wereOnlyRefusedToday(counts, OTHER, last, NOW)).to.equal(false);
    });
  }
});

describe('The retention of usage', () => {
  it('is longer than any span', () => {
    const lateInADay = plus(startOfDay(NOW), DAY - MICROSECOND);
    for (const now of [NOW, lateInADay]) {
      for (const [, span] of SPANS) expect(retainedSince(now) <= spanStart(span, now)).to.equal(true);
    }
    expect(retainedSince(NOW)).to.equal(moment('2026-01-29T12:00:00Z'));
  });
});
