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

/** Any moment of the calendar. */
const moments = fc
  .tuple(fc.integer({ min: epochSeconds(FIRST_MOMENT), max: epochSeconds(LAST_MOMENT) }), micros())
  .map(([seconds, micro]) => plus(fromEpochMillis(seconds * 1_000), micro));

/** Any moment of two centuries: lengths between two of them are exact. */
const near = fc
  .tuple(fc.integer({ min: -1e9, max: 4e9 }), micros())
  .map(([seconds, micro]) => plus(fromEpochMillis(seconds * 1_000), micro));

function micros() {
  return fc.integer({ min: 0, max: 999_999 });
}

describe('A moment that is read from text (D4)', () => {
  // biome-ignore format: a table is read by its columns
  const accepted: readonly (readonly [text: string, moment: string, why: string])[] = [
    ['2026-01-31T12:00:00.000000Z',        '2026-01-31T12:00:00.000000Z', 'the form of D3'],
    ['2026-01-31T12:00:00Z',               '2026-01-31T12:00:00.000000Z', 'no fraction'],
    ['2026-01-31t12:00:00Z',               '2026-01-31T12:00:00.000000Z', 'lower-case t'],
    ['2026-01-31T12:00:00z',               '2026-01-31T12:00:00.000000Z', 'lower-case z'],
    ['2026-01-31t12:00:00.5z',             '2026-01-31T12:00:00.500000Z', 'both lower-case'],
    ['2026-01-31t12:00:00.5+01:00',        '2026-01-31T11:00:00.500000Z', 'lower-case t with an offset'],

    ['2026-01-31T12:00:00+00:00',          '2026-01-31T12:00:00.000000Z', 'offset zero'],
    ['2026-01-31T12:00:00-00:00',          '2026-01-31T12:00:00.000000Z', 'offset unknown'],
    ['2026-01-31T12:00:00+01:00',          '2026-01-31T11:00:00.000000Z', 'east'],
    ['2026-01-31T12:00:00-01:30',          '2026-01-31T13:30:00.000000Z', 'west'],
    ['2026-01-31T12:00:00+05:45',          '2026-01-31T06:15:00.000000Z', 'minutes in the offset'],
    ['2026-01-31T12:00:00+23:59',          '2026-01-30T12:01:00.000000Z', 'the widest offset'],
    ['2026-01-31T12:00:00-23:59',          '2026-02-01T11:59:00.000000Z', 'the widest offset west'],
    ['2026-01-01T00:30:00+01:00',          '2025-12-31T23:30:00.000000Z', 'an offset over the year'],
    ['2024-02-29T23:30:00-01:00',          '2024-03-01T00:30:00.000000Z', 'an offset over the leap day'],
    ['2026-01-31T12:00:00 01:00',          '2026-01-31T11:00:00.000000Z', 'a space for the plus'],
    ['2026-01-31T12:00:00 00:00',          '2026-01-31T12:00:00.000000Z', 'a space for the plus, offset zero'],
    ['2026-01-31T12:00:00.123456 00:00',   '2026-01-31T12:00:00.123456Z', 'a space for the plus after a fraction'],

    ['2026-01-31T12:00:00.1Z',             '2026-01-31T12:00:00.100000Z', '1 digit'],
    ['2026-01-31T12:00:00.12Z',            '2026-01-31T12:00:00.120000Z', '2 digits'],
    ['2026-01-31T12:00:00.123Z',           '2026-01-31T12:00:00.123000Z', '3 digits'],
    ['2026-01-31T12:00:00.1234Z',          '2026-01-31T12:00:00.123400Z', '4 digits'],
    ['2026-01-31T12:00:00.12345Z',         '2026-01-31T12:00:00.123450Z', '5 digits'],
    ['2026-01-31T12:00:00.000001Z',        '2026-01-31T12:00:00.000001Z', 'one microsecond'],
    ['2026-01-31T12:00:00.999999Z',        '2026-01-31T12:00:00.999999Z', 'the last microsecond'],
    ['2026-01-31T12:00:00.1234560Z',       '2026-01-31T12:00:00.123456Z', '7 digits, the last a zero'],
    ['2026-01-31T12:00:00.123456000000Z',  '2026-01-31T12:00:00.123456Z', '12 digits, the last six zeros'],
    ['2026-01-31T12:00:00.1234561Z',       '2026-01-31T12:00:00.123457Z', '7 digits, rounded up'],
    ['2026-01-31T12:00:00.1234569Z',       '2026-01-31T12:00:00.123457Z', '7 digits, rounded up as well'],
    ['2026-01-31T12:00:00.123456001Z',     '2026-01-31T12:00:00.123457Z', '9 digits, rounded up'],
    ['2026-01-31T12:00:00.0000000001Z',    '2026-01-31T12:00:00.000001Z', '10 digits, rounded up from nothing'],
    [`2026-01-31T12:00:00.${'0'.repeat(2_000)}1Z`, '2026-01-31T12:00:00.000001Z', '2 001 digits'],
    ['2026-01-31T12:00:00.9999991Z',       '2026-01-31T12:00:01.000000Z', 'rounded up into the next second'],
    ['2026-01-31T23:59:59.9999991Z',       '2026-02-01T00:00:00.000000Z', 'rounded up into the next day'],
    ['2026-12-31T23:59:59.9999999Z',       '2027-01-01T00:00:00.000000Z', 'rounded up into the next year'],
    ['2026-01-31T12:00:00.9999991+01:00',  '2026-01-31T11:00:01.000000Z', 'rounded up with an offset'],

    ['2016-12-31T23:59:60Z',               '2017-01-01T00:00:00.000000Z', 'a leap second'],
    ['2026-01-31T23:59:60Z',               '2026-02-01T00:00:00.000000Z', 'a leap second of any day'],
    ['2016-12-31T23:59:60',                '2017-01-01T00:00:00.000000Z', 'a leap second without an offset'],
    ['2017-01-01T00:59:60+01:00',          '2017-01-01T00:00:00.000000Z', 'a leap second, east'],
    ['2016-12-31T18:59:60-05:00',          '2017-01-01T00:00:00.000000Z', 'a leap second, west'],
    ['2017-01-01T05:44:60+05:45',          '2017-01-01T00:00:00.000000Z', 'a leap second, minutes in the offset'],
    ['2017-01-01T00:59:60 01:00',          '2017-01-01T00:00:00.000000Z', 'a leap second, a space for the plus'],
    ['2016-12-31T23:59:60.5Z',             '2017-01-01T00:00:00.000000Z', 'a leap second with a fraction'],
    ['2016-12-31T23:59:60.9999999Z',       '2017-01-01T00:00:00.000000Z', 'a leap second, the fraction not rounded'],
    ['2016-12-31t18:59:60.5-05:00',        '2017-01-01T00:00:00.000000Z', 'a leap second with offset and fraction'],

    ['2026-01-31T12:00:00',                '2026-01-31T12:00:00.000000Z', 'no offset is UTC'],
    ['2026-01-31T12:00:00.25',             '2026-01-31T12:00:00.250000Z', 'no offset, with a fraction'],
    ['2026-01-31',                         '2026-01-31T00:00:00.000000Z', 'a plain date is midnight UTC'],

    ['2024-02-29',                         '2024-02-29T00:00:00.000000Z', 'the leap day'],
    ['2000-02-29T12:00:00Z',               '2000-02-29T12:00:00.000000Z', 'the leap day of a fourth century'],
    ['2026-04-30T23:59:59Z',               '2026-04-30T23:59:59.000000Z', 'the last second of a month of 30 days'],
    ['1969-12-31T23:59:59.999999Z',        '1969-12-31T23:59:59.999999Z', 'before 1970'],

    ['0001-01-01T00:00:00Z',               '0001-01-01T00:00:00.000000Z', 'the first moment'],
    ['0001-01-01',                         '0001-01-01T00:00:00.000000Z', 'the first day'],
    ['0000-12-31T23:30:00-01:00',          '0001-01-01T00:30:00.000000Z', 'the year 0 that the offset leads out of'],
    ['0000-12-31T23:59:59.9999991Z',       '0001-01-01T00:00:00.000000Z', 'the year 0 that rounding leads out of'],
    ['0000-12-31T23:59:60Z',               '0001-01-01T00:00:00.000000Z', 'the year 0 that a leap second leads out of'],
    ['9999-12-31T23:59:59.999999Z',        '9999-12-31T23:59:59.999999Z', 'the last moment'],
    ['9999-12-31T23:59:59.9999990Z',       '9999-12-31T23:59:59.999999Z', 'the last moment, a zero behind it'],
    ['9999-12-31',                         '9999-12-31T00:00:00.000000Z', 'the last day'],
    ['9999-12-31T23:59:59.999999+00:01',   '9999-12-31T23:58:59.999999Z', 'the last minute, moved back by its offset'],
  ];
  for (const [text, at, why] of accepted) {
    it(`reads ${text.length > 60 ? why : `“${text}”: ${why}`} (D4)`, () => {
      expect(parseMoment(text)).to.equal(at);
    });
  }

  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [text: string, why: string])[] = [
    ['',                                   'nothing'],
    [' ',                                  'a blank'],
    ['2026-01-31T12:00:00Z\n',             'a newline behind'],
    ['2026-01-31\n',                       'a newline behind a date'],
    ['\n2026-01-31T12:00:00Z',             'a newline before'],
    [' 2026-01-31T12:00:00Z',              'a blank before'],
    ['2026-01-31T12:00:00Z ',              'a blank behind'],
    ['2026-01-31T12:00:00 Z',              'a blank before the Z'],
    ['2026-01-31 12:00:00Z',               'a space as separator'],
    ['2026-01-31 12:00:00',                'a space as separator, no offset'],
    ['2026-01-31_12:00:00Z',               'another separator'],
    ['2026-01-3112:00:00Z',                'no separator'],
    ['2026-02-31T12:00:00Z',               'day 31 of February'],
    ['2026-02-31',                         'day 31 of February, a plain date'],
    ['2026-02-29T12:00:00Z',               'day 29 of February outside a leap year'],
    ['1900-02-29',                         'day 29 of February of a century'],
    ['2026-04-31T12:00:00Z',               'day 31 of April'],
    ['2026-01-32T12:00:00Z',               'day 32'],
    ['2026-01-00T12:00:00Z',               'day 0'],
    ['2026-00-10T12:00:00Z',               'month 0'],
    ['2026-13-10T12:00:00Z',               'month 13'],
    ['2026-01-31T24:00:00Z',               'hour 24'],
    ['2026-01-31T24:00:00',                'hour 24, no offset'],
    ['2026-01-31T25:00:00Z',               'hour 25'],
    ['2026-01-31T12:60:00Z',               'minute 60'],
    ['2026-01-31T12:00:61Z',               'second 61'],
    ['2026-01-31T23:59:61Z',               'second 61 before midnight'],
    ['2026-01-31T12:00:60Z',               'second 60 at noon'],
    ['2026-01-31T23:58:60Z',               'second 60 of another minute'],
    ['2026-01-31T00:00:60Z',               'second 60 after midnight'],
    ['2016-12-31T23:59:60+01:00',          'second 60 before midnight elsewhere'],
    ['2016-12-31T23:59:60-05:00',          'second 60 before midnight elsewhere, west'],
    ['2016-12-31T12:59:60.5Z',             'second 60 of another hour, with a fraction'],
    ['2026-01-31T12:00:00.Z',              'a point without digits'],
    ['2026-01-31T12:00:00.',               'a point without digits at the end'],
    ['2026-01-31T12:00:00,5Z',             'a comma for the point'],
    ['2026-01-31T12:00:00.5.5Z',           'two fractions'],
    ['2026-01-31T12:00:00.12a456Z',        'a letter in the fraction'],
    ['2026-01-31T12:00Z',                  'no seconds'],
    ['2026-01-31T12Z',                     'hours alone'],
    ['2026-01-31T',                        'a separator alone'],
    ['2026-01-31Z',                        'a plain date with a zone'],
    ['2026-01-31+01:00',                   'a plain date with an offset'],
    ['2026-01-31T12:00:00+24:00',          'an offset of 24 hours'],
    ['2026-01-31T12:00:00+01:60',          'an offset with minute 60'],
    ['2026-01-31T12:00:00+0100',           'an offset without colon'],
    ['2026-01-31T12:00:00+01',             'an offset without minutes'],
    ['2026-01-31T12:00:00+1:00',           'an offset of one digit'],
    ['2026-01-31T12:00:00++01:00',         'two signs'],
    ['2026-01-31T12:00:00  01:00',         'two spaces'],
    ['2026-01-31T12:00:00Z+01:00',         'a zone and an offset'],
    ['2026-01-31T12:00:00\u221201:00',     'a typographic minus'],
    ['2026-01-31T12:00:00UTC',             'a zone by name'],
    ['2026-W05-6',                         'a week date'],
    ['2026-W05-6T12:00:00Z',               'a week date with a time'],
    ['2026W056',                           'a short week date'],
    ['2026-031',                           'a day of the year'],
    ['20260131T120000Z',                   'the basic form'],
    ['20260131',                           'the basic form of a date'],
    ['2026-01',                            'a month'],
    ['2026',                               'a year'],
    ['2026-1-31',                          'a month of one digit'],
    ['2026-01-31T1:00:00Z',                'an hour of one digit'],
    ['26-01-31T12:00:00Z',                 'a year of two digits'],
    ['0',                                  'the epoch'],
    ['1769860800',                         'seconds since 1970'],
    ['1769860800000',                      'milliseconds since 1970'],
    ['1769860800.5',                       'seconds since 1970 with a fraction'],
    ['-1769860800',                        'seconds before 1970'],
    ['1.7e9',                              'seconds since 1970 with an exponent'],
    ['now',                                'a word'],
    ['null',                               'a null by name'],
    ['Sat, 31 Jan 2026 12:00:00 GMT',      'the form of HTTP'],
    ['Jan 31 2026',                        'a form that Date reads'],
    ['2026/01/31',                         'slashes'],
    ['\u0662\u0660\u0662\u0666-01-31',     'digits of another script'],
    ['-2026-01-31T12:00:00Z',              'a year before Christ'],
    ['+2026-01-31T12:00:00Z',              'a year with a sign'],
    ['+002026-01-31T12:00:00Z',            'a year of six digits'],
    ['10000-01-01T00:00:00Z',              'a year of five digits'],
    ['0000-12-31T23:59:59.999999Z',        'the microsecond before the first'],
    ['0000-12-31',                         'the day before the first'],
    ['0001-01-01T00:00:00+00:01',          'before the first by its offset'],
    ['0001-01-01T00:59:59.999999+01:00',   'a microsecond before the first by its offset'],
    ['9999-12-31T23:59:59.999999-00:01',   'behind the last by its offset'],
    ['9999-12-31T23:59:59.9999991Z',       'behind the last by rounding'],
    ['9999-12-31T23:59:60Z',               'behind the last as a leap second'],
    ['2026-01-31T12:00:00Z/2026-02-01',    'an interval'],
    ['2026-01-31T12:00:00Z\u0000',         'a NUL behind'],
  ];
  for (const [text, why] of refused) {
    it(`refuses ${JSON.stringify(text)}: ${why} (D4)`, () => {
      expect(parseMoment(text)).to.equal(undefined);
    });
  }

  it('rounds up so that a later text never reads as an earlier moment, to any digit (D4)', () => {
    const fractions = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fractions, (digits) => {
        const fraction = digits.join('');
        const read = moment(`2026-01-31T12:00:00.${fraction}Z`);
        const picos = BigInt(fraction.padEnd(12, '0'));
        const micros = Number((picos + 999_999n) / 1_000_000n);
        expect(between(moment('2026-01-31T12:00:00Z'), read)).to.equal(micros);
      }),
      runs(300),
    );
  });

  it('reads the same instant under any offset (D4)', () => {
    const offset = fc.tuple(
      fc.constantFrom('+', '-', ' '),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    );
    const two = (n: number) => String(n).padStart(2, '0');
    fc.assert(
      fc.property(near, offset, (at, [sign, hours, minutes]) => {
        const seconds = (sign === '-' ? -1 : 1) * (hours * 3_600 + minutes * 60);
        const local = plus(at, seconds * SECOND).slice(0, -1);
        expect(parseMoment(`${local}${sign}${two(hours)}:${two(minutes)}`)).to.equal(at);
      }),
      runs(300),
    );
  });

  it('is never thrown off by text of any kind (D4)', () => {
    const pieces = fc.constantFrom(
      '2026',
      '-',
      '01',
      '31',
      'T',
      ':',
      '12',
      '60',
      '.',
      'Z',
      '+',
      ' ',
      '\n',
      '9',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 16 }).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(text, (some) => {
        const at = parseMoment(some);
        expect(at === undefined || new RegExp(MOMENT_PATTERN).test(at)).to.equal(true);
      }),
      runs(500),
    );
  });
});

describe('A moment (D3)', () => {
  it('is written in one form, which reads as itself (D3)', () => {
    fc.assert(
      fc.property(moments, (at) => {
        expect(at).to.match(new RegExp(MOMENT_PATTERN));
        expect(parseMoment(at)).to.equal(at);
      }),
      runs(300),
    );
  });

  it('stands in text order as in time order (D3)', () => {
    fc.assert(
      fc.property(near, near, (a, b) => {
        expect(Math.sign(between(a, b))).to.equal(a < b ? 1 : a > b ? -1 : 0);
      }),
      runs(300),
    );
  });

  it('is moved by `plus` and measured by `between`, each undoing the other (D3)', () => {
    const length = fc.integer({ min: -100 * 365 * DAY, max: 100 * 365 * DAY });
    fc.assert(
      fc.property(near, length, near, (at, by, other) => {
        expect(between(at, plus(at, by))).to.equal(by);
        expect(plus(plus(at, by), -by)).to.equal(at);
        expect(plus(at, between(at, other))).to.equal(other);
      }),
      runs(300),
    );
  });

  it('shows a difference of one microsecond (D3)', () => {
    fc.assert(
      fc.property(near, (at) => {
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
    it(`${from} and ${by} µs make ${to} (D3)`, () => {
      expect(plus(moment(from), by)).to.equal(to);
    });
  }

  it('stops at the ends of the calendar (D4)', () => {
    expect(plus(LAST_MOMENT, MICROSECOND)).to.equal(LAST_MOMENT);
    expect(plus(LAST_MOMENT, DAY)).to.equal(LAST_MOMENT);
    expect(plus(FIRST_MOMENT, -MICROSECOND)).to.equal(FIRST_MOMENT);
    expect(plus(FIRST_MOMENT, -DAY)).to.equal(FIRST_MOMENT);
  });

  it('is the latest of several wherever it stands among them', () => {
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
    it(`is ${at} by a clock of milliseconds that shows ${millis} (D5)`, () => {
      expect(fromEpochMillis(millis)).to.equal(at);
    });
  }

  it('is as many seconds from 1970 as the calendar has it, leap days and all', () => {
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

  it('lies in an hour and in a day of UTC, which begin at whole multiples since 1970', () => {
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
