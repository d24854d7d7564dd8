import { expect } from 'chai';
import fc from 'fast-check';
import {
  between,
  DAY,
  epochSeconds,
  FIRST_MOMENT,
  fromEpochMillis,
  HOUR,
  LAST_MOMENT,
  latest,
  MICROSECOND,
  MOMENT_PATTERN,
  type Moment,
  parseMoment,
  plus,
  SECOND,
  startOfDay,
  startOfHour,
} from '../../src/domain/moment.js';
import { moment, NOON, runs } from '../support/objects/builders.js';
import { moments, nearMoments } from '../support/objects/moments.js';

describe('A moment (D3)', () => {
  it('is written in one format, and parsing it returns the same moment (D3)', () => {
    fc.assert(
      fc.property(moments, (at) => {
        expect(at).to.match(new RegExp(MOMENT_PATTERN));
        expect(parseMoment(at)).to.equal(at);
      }),
      runs(300),
    );
  });

  it('sorts the same as text and as time (D3)', () => {
    fc.assert(
      fc.property(nearMoments, nearMoments, (a, b) => {
        expect(Math.sign(between(a, b))).to.equal(a < b ? 1 : a > b ? -1 : 0);
      }),
      runs(300),
    );
  });

  it('is moved by `plus` and measured by `between`, and the two are inverse (D3)', () => {
    const length = fc.integer({ min: -100 * 365 * DAY, max: 100 * 365 * DAY });
    fc.assert(
      fc.property(nearMoments, length, nearMoments, (at, by, other) => {
        expect(between(at, plus(at, by))).to.equal(by);
        expect(plus(plus(at, by), -by)).to.equal(at);
        expect(plus(at, between(at, other))).to.equal(other);
      }),
      runs(300),
    );
  });

  it('shows a difference of one microsecond (D3)', () => {
    fc.assert(
      fc.property(nearMoments, (at) => {
        const next = plus(at, MICROSECOND);
        expect(next > at).to.equal(true);
        expect(between(at, next)).to.equal(1);
        expect(plus(next, -MICROSECOND)).to.equal(at);
      }),
      runs(300),
    );
  });

  // biome-ignore format: a table is read by its columns
  const sums: readonly (readonly [from: string, by: number, to: string])[] = [
    ['2026-01-31T23:59:59.999999Z', MICROSECOND, '2026-02-01T00:00:00.000000Z'],
    ['2026-02-01T00:00:00.000000Z', -MICROSECOND, '2026-01-31T23:59:59.999999Z'],
    ['2024-02-28T12:00:00.000000Z', DAY, '2024-02-29T12:00:00.000000Z'],
    ['2026-02-28T12:00:00.000000Z', DAY, '2026-03-01T12:00:00.000000Z'],
    ['1970-01-01T00:00:00.000000Z', -MICROSECOND, '1969-12-31T23:59:59.999999Z'],
    ['2026-03-29T00:30:00.000000Z', HOUR, '2026-03-29T01:30:00.000000Z'],
  ];
  for (const [from, by, to] of sums) {
    it(`is ${to} when ${by} µs are added to ${from} (D3)`, () => {
      expect(plus(moment(from), by)).to.equal(to);
    });
  }

  it('stops at the ends of the calendar (D4)', () => {
    expect(plus(LAST_MOMENT, MICROSECOND)).to.equal(LAST_MOMENT);
    expect(plus(LAST_MOMENT, DAY)).to.equal(LAST_MOMENT);
    expect(plus(FIRST_MOMENT, -MICROSECOND)).to.equal(FIRST_MOMENT);
    expect(plus(FIRST_MOMENT, -DAY)).to.equal(FIRST_MOMENT);
  });

  it('is the latest of several in any order', () => {
    const [a, b, c] = [NOON, plus(NOON, MICROSECOND), plus(NOON, SECOND)];
    for (const some of [
      [a, b, c],
      [a, c, b],
      [c, a, b],
      [c, c, a],
    ] as const) {
      expect(latest(...some)).to.equal(c);
    }
    expect(latest(a)).to.equal(a);
  });

  // biome-ignore format: a table is read by its columns
  const clocks: readonly (readonly [millis: number, moment: string])[] = [
    [0,                 '1970-01-01T00:00:00.000000Z'],
    [-1,                '1969-12-31T23:59:59.999000Z'],
    [1_769_860_800_123, '2026-01-31T12:00:00.123000Z'],
    [0.25,              '1970-01-01T00:00:00.000250Z'],
    [999.9999,          '1970-01-01T00:00:00.999999Z'],
  ];
  for (const [millis, at] of clocks) {
    it(`is ${at} for ${millis} ms since 1970 (D5)`, () => {
      expect(fromEpochMillis(millis)).to.equal(at);
    });
  }

  it('has the seconds since 1970 of the calendar, leap days included', () => {
    fc.assert(
      fc.property(moments, (at) => {
        expect(epochSeconds(at)).to.equal(Date.parse(`${at.slice(0, 19)}Z`) / 1_000);
      }),
      runs(300),
    );
    for (const day of ['1900-02-28', '1900-03-01', '2000-02-29', '2024-02-29', '2100-02-28', '0001-01-01']) {
      const midnight = Date.parse(`${day}T00:00:00Z`) / 1_000;
      expect(epochSeconds(moment(`${day}T00:00:00.000000Z`)), day).to.equal(midnight);
    }
  });

  it('counts whole seconds since 1970, never rounding up (D33)', () => {
    expect(epochSeconds(moment('1970-01-01T00:00:01.999999Z'))).to.equal(1);
    expect(epochSeconds(moment('2026-01-31T12:00:00Z'))).to.equal(1_769_860_800);
    expect(epochSeconds('0001-01-01T00:00:00.000000Z' as Moment)).to.equal(-62_135_596_800);
  });

  it('belongs to an hour and a day in UTC, which begin at whole multiples since 1970', () => {
    const at = moment('2026-01-31T23:59:59.999999Z');
    expect([startOfHour(at), startOfDay(at)]).to.deep.equal([
      '2026-01-31T23:00:00.000000Z',
      '2026-01-31T00:00:00.000000Z',
    ]);
    fc.assert(
      fc.property(moments, (any) => {
        for (const [start, length] of [
          [startOfHour(any), HOUR],
          [startOfDay(any), DAY],
        ] as const) {
          expect(epochSeconds(start) % (length / SECOND)).to.be.oneOf([0, -0]);
          expect(start <= any).to.equal(true);
          expect(epochSeconds(any) - epochSeconds(start)).to.be.below(length / SECOND);
        }
      }),
      runs(300),
    );
  });
});
