import { expect } from 'chai';
import fc from 'fast-check';
import { between, MOMENT_PATTERN, parseMoment, plus, SECOND } from '../../src/domain/moment.js';
import { moment, runs } from '../support/objects/builders.js';
import { nearMoments } from '../support/objects/moments.js';

describe('Reading a moment from text (D4)', () => {
  // biome-ignore format: a table is read by its columns
  const accepted: readonly (readonly [text: string, moment: string, why: string])[] = [
    ['2026-01-31T12:00:00.000000Z',        '2026-01-31T12:00:00.000000Z', 'the format of D3'],
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
    ['2026-01-31T12:00:00 01:00',          '2026-01-31T11:00:00.000000Z', 'a space instead of the plus'],
    ['2026-01-31T12:00:00 00:00',          '2026-01-31T12:00:00.000000Z', 'a space instead of the plus, offset zero'],
    ['2026-01-31T12:00:00.123456 00:00',   '2026-01-31T12:00:00.123456Z', 'a space instead of the plus, after a fraction'],

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
    ['2017-01-01T00:59:60 01:00',          '2017-01-01T00:00:00.000000Z', 'a leap second, with a space instead of the plus'],
    ['2016-12-31T23:59:60.5Z',             '2017-01-01T00:00:00.000000Z', 'a leap second with a fraction'],
    ['2016-12-31T23:59:60.9999999Z',       '2017-01-01T00:00:00.000000Z', 'a leap second, the fraction not rounded'],
    ['2016-12-31t18:59:60.5-05:00',        '2017-01-01T00:00:00.000000Z', 'a leap second with offset and fraction'],

    ['2026-01-31T12:00:00',                '2026-01-31T12:00:00.000000Z', 'no offset is UTC'],
    ['2026-01-31T12:00:00.25',             '2026-01-31T12:00:00.250000Z', 'no offset, with a fraction'],
    ['2026-01-31',                         '2026-01-31T00:00:00.000000Z', 'a plain date is midnight UTC'],

    ['2024-02-29',                         '2024-02-29T00:00:00.000000Z', 'the leap day'],
    ['2000-02-29T12:00:00Z',               '2000-02-29T12:00:00.000000Z', 'the leap day of a year divisible by 400'],
    ['2026-04-30T23:59:59Z',               '2026-04-30T23:59:59.000000Z', 'the last second of a month of 30 days'],
    ['1969-12-31T23:59:59.999999Z',        '1969-12-31T23:59:59.999999Z', 'before 1970'],

    ['0001-01-01T00:00:00Z',               '0001-01-01T00:00:00.000000Z', 'the first moment'],
    ['0001-01-01',                         '0001-01-01T00:00:00.000000Z', 'the first day'],
    ['0000-12-31T23:30:00-01:00',          '0001-01-01T00:30:00.000000Z', 'year 0, moved into year 1 by the offset'],
    ['0000-12-31T23:59:59.9999991Z',       '0001-01-01T00:00:00.000000Z', 'year 0, moved into year 1 by rounding'],
    ['0000-12-31T23:59:60Z',               '0001-01-01T00:00:00.000000Z', 'year 0, moved into year 1 by a leap second'],
    ['9999-12-31T23:59:59.999999Z',        '9999-12-31T23:59:59.999999Z', 'the last moment'],
    ['9999-12-31T23:59:59.9999990Z',       '9999-12-31T23:59:59.999999Z', 'the last moment, with one more zero'],
    ['9999-12-31',                         '9999-12-31T00:00:00.000000Z', 'the last day'],
    ['9999-12-31T23:59:59.999999+00:01',   '9999-12-31T23:58:59.999999Z', 'the last minute, moved back by its offset'],
  ];
  for (const [text, at, why] of accepted) {
    it(`takes ${text.length > 60 ? why : `“${text}”: ${why}`} (D4)`, () => {
      expect(parseMoment(text)).to.equal(at);
    });
  }

  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [text: string, why: string])[] = [
    ['',                                   'an empty text'],
    [' ',                                  'a blank'],
    ['2026-01-31T12:00:00Z\n',             'a newline after it'],
    ['2026-01-31\n',                       'a newline after a date'],
    ['\n2026-01-31T12:00:00Z',             'a newline before it'],
    [' 2026-01-31T12:00:00Z',              'a blank before it'],
    ['2026-01-31T12:00:00Z ',              'a blank after it'],
    ['2026-01-31T12:00:00 Z',              'a blank before the Z'],
    ['2026-01-31 12:00:00Z',               'a space as separator'],
    ['2026-01-31 12:00:00',                'a space as separator, no offset'],
    ['2026-01-31_12:00:00Z',               'an underscore as separator'],
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
    ['2026-01-31T12:00:00.Z',              'a decimal point without digits'],
    ['2026-01-31T12:00:00.',               'a decimal point without digits at the end'],
    ['2026-01-31T12:00:00,5Z',             'a decimal comma'],
    ['2026-01-31T12:00:00.5.5Z',           'two fractions'],
    ['2026-01-31T12:00:00.12a456Z',        'a letter in the fraction'],
    ['2026-01-31T12:00Z',                  'no seconds'],
    ['2026-01-31T12Z',                     'only hours'],
    ['2026-01-31T',                        'only a separator'],
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
    ['20260131T120000Z',                   'the basic format'],
    ['20260131',                           'the basic format of a date'],
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
    ['now',                                'an English word'],
    ['null',                               'the text null'],
    ['Sat, 31 Jan 2026 12:00:00 GMT',      'the format of HTTP dates'],
    ['Jan 31 2026',                        'a format that Date reads'],
    ['2026/01/31',                         'slashes'],
    ['\u0662\u0660\u0662\u0666-01-31',     'digits of another script'],
    ['-2026-01-31T12:00:00Z',              'a negative year'],
    ['+2026-01-31T12:00:00Z',              'a year with a sign'],
    ['+002026-01-31T12:00:00Z',            'a year of six digits'],
    ['10000-01-01T00:00:00Z',              'a year of five digits'],
    ['0000-12-31T23:59:59.999999Z',        'the microsecond before the first moment'],
    ['0000-12-31',                         'the day before the first'],
    ['0001-01-01T00:00:00+00:01',          'before the first moment by its offset'],
    ['0001-01-01T00:59:59.999999+01:00',   'a microsecond before the first moment by its offset'],
    ['9999-12-31T23:59:59.999999-00:01',   'after the last moment by its offset'],
    ['9999-12-31T23:59:59.9999991Z',       'after the last moment by rounding'],
    ['9999-12-31T23:59:60Z',               'after the last moment as a leap second'],
    ['2026-01-31T12:00:00Z/2026-02-01',    'an interval'],
    ['2026-01-31T12:00:00Z\u0000',         'a NUL after it'],
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

  it('gives the same instant under any offset (D4)', () => {
    const offset = fc.tuple(
      fc.constantFrom('+', '-', ' '),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    );
    const two = (n: number) => String(n).padStart(2, '0');
    fc.assert(
      fc.property(nearMoments, offset, (at, [sign, hours, minutes]) => {
        const seconds = (sign === '-' ? -1 : 1) * (hours * 3_600 + minutes * 60);
        const local = plus(at, seconds * SECOND).slice(0, -1);
        expect(parseMoment(`${local}${sign}${two(hours)}:${two(minutes)}`)).to.equal(at);
      }),
      runs(300),
    );
  });

  it('accepts only valid moments, whatever the text (D4)', () => {
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
