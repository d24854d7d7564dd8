import { expect } from 'chai';
import fc from 'fast-check';
import { PLANS } from '../../../src/domain/billing/plan.js';
import {
  ALLOWLIST_MAX,
  dayOfExpiry,
  EXPIRY_MAX,
  type KeyControls,
  NO_CONTROLS,
  readControls,
  setControls,
  setLimits,
  type TypedControls,
  whyNotSet,
} from '../../../src/domain/keys/key-controls.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { DAY, MICROSECOND, type Moment, plus, startOfDay } from '../../../src/domain/moment.js';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.js';
import { NOON, runs } from '../../support/objects/builders.js';

const NOTHING: TypedControls = { expiry: '', addresses: '', perMinute: '', perDay: '' };
const read = (typed: Partial<TypedControls>) => readControls({ ...NOTHING, ...typed });
const controls = (some: Partial<KeyControls>): KeyControls => ({ ...NO_CONTROLS, ...some });
const texts = (refusal: KeyControls | Refusal<'invalid_body'> | null): readonly string[] =>
  refusal !== null && isRefusal(refusal)
    ? refusal.faults.map(({ parameter, code, message }) => `${parameter} | ${code} | ${message}`)
    : [];
const lines = (n: number) => Array.from({ length: n }, (_, i) => `192.0.2.${i}`).join('\n');
const FORM = 'is no address or network; write it like 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32';

describe('The controls of a key, as they are typed (D72)', () => {
  const accepted: readonly (readonly [what: string, typed: Partial<TypedControls>, KeyControls])[] = [
    ['nothing', {}, NO_CONTROLS],
    ['blanks', { expiry: ' ', addresses: ' \n\t\n', perMinute: ' ', perDay: ' ' }, NO_CONTROLS],
    ['a day', { expiry: '2026-12-31' }, controls({ expiresAt: '2027-01-01T00:00:00.000000Z' as Moment })],
    [
      'a leap day',
      { expiry: '2028-02-29' },
      controls({ expiresAt: '2028-03-01T00:00:00.000000Z' as Moment }),
    ],
    [
      'addresses, one a line, in their normal form and once each',
      { addresses: '203.0.113.7\r\n\r\n 2001:DB8::/32 \n203.0.113.7/32\r::ffff:203.0.113.7' },
      controls({ allowlist: ['203.0.113.7', '2001:db8::/32'] as Network[] }),
    ],
    ['limits', { perMinute: ' 60 ', perDay: '1' }, controls({ limits: { perMinute: 60, perDay: 1 } })],
    ['one limit', { perDay: '5000' }, controls({ limits: { perMinute: null, perDay: 5_000 } })],
  ];
  for (const [what, typed, expected] of accepted) {
    it(`can be ${what}`, () => {
      expect(read(typed)).to.deep.equal(expected);
    });
  }

  it(`can be ${ALLOWLIST_MAX} addresses, and not one more; repeated ones count once`, () => {
    expect(texts(read({ addresses: lines(ALLOWLIST_MAX) }))).to.deep.equal([]);
    expect(texts(read({ addresses: `${lines(ALLOWLIST_MAX)}\n192.0.2.0` }))).to.deep.equal([]);
    expect(texts(read({ addresses: `\n${lines(ALLOWLIST_MAX + 1)}` }))).to.deep.equal([
      'line 22 of the allowed addresses | invalid_max_items | is one too many: a key may have at most 20 addresses and networks',
    ]);
  });

  const refused: readonly (readonly [what: string, Partial<TypedControls>, readonly string[]])[] = [
    [
      'the lines that are no networks, each with its number',
      { addresses: '203.0.113.7\n\nhome\n203.0.113.7/24\n0.0.0.0/0' },
      [
        `line 3 of the allowed addresses | invalid_network | ${FORM}`,
        'line 4 of the allowed addresses | invalid_network | has bits after its prefix; write the first address of the network, or a longer prefix',
        'line 5 of the allowed addresses | invalid_network | has every address; to allow every address, leave the field empty',
      ],
    ],
    [
      'every field at once',
      { expiry: 'soon', addresses: 'x', perMinute: '-1', perDay: '1.5' },
      [
        'expiry | invalid_date_time | must be a day of the calendar, like 2026-12-31',
        `line 1 of the allowed addresses | invalid_network | ${FORM}`,
        'limit per minute | out_of_range | must be a whole number, at least 1',
        'limit per day | out_of_range | must be a whole number, at least 1',
      ],
    ],
  ];
  for (const [what, typed, expected] of refused) {
    it(`are refused with ${what}`, () => {
      expect(texts(read(typed))).to.deep.equal(expected);
    });
  }

  for (const expiry of [
    '2026-02-30',
    '2027-02-29',
    '31.12.2026',
    '2026-12-31T00:00:00Z',
    '2026-1-1',
    '20261231',
  ])
    it(`have no expiry like ${expiry}`, () => {
      expect(texts(read({ expiry }))).to.have.length(1);
    });

  for (const perMinute of ['0', '-1', '1e3', '١', '1,000', '9999999999', 'ten'])
    it(`have no limit like ${perMinute}`, () => {
      expect(texts(read({ perMinute }))).to.have.length(1);
    });

  it('repeat no typed text in an error', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, unit: fc.constantFrom('ж', 'q') }), (text) => {
        const refusal = read({ expiry: text, addresses: text, perMinute: text, perDay: text });
        expect(texts(refusal)).to.have.length(4);
        expect(JSON.stringify(refusal)).to.not.include(text);
      }),
      runs(50),
    );
  });

  it('show the day that was typed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50_000 }), (days) => {
        const day = plus('1970-01-01T00:00:00.000000Z' as Moment, days * DAY).slice(0, 10);
        const { expiresAt } = read({ expiry: day }) as KeyControls;
        expect(expiresAt === null ? null : dayOfExpiry(expiresAt)).to.equal(day);
        expect(expiresAt).to.equal(expiresAt === null ? null : startOfDay(expiresAt));
      }),
      runs(200),
    );
  });
});

describe('What may be set (D72)', () => {
  const plan = PLANS.builder;
  const at = (expiresAt: Moment | null) => controls({ expiresAt });
  const limited = (perMinute: number | null, perDay: number | null = null) =>
    controls({ limits: { perMinute, perDay } });
  const why = (next: KeyControls, before = NO_CONTROLS) => texts(whyNotSet(before, next, plan, NOON));

  it('is an expiry in the future, at most 5 years ahead', () => {
    expect(why(at(null))).to.deep.equal([]);
    expect(why(at(plus(NOON, MICROSECOND)))).to.deep.equal([]);
    expect(why(at(plus(NOON, EXPIRY_MAX)))).to.deep.equal([]);
    expect(why(at(NOON))).to.deep.equal(['expiry | out_of_range | must be in the future']);
    expect(why(at(plus(NOON, EXPIRY_MAX + MICROSECOND)))).to.deep.equal([
      'expiry | out_of_range | must be within the next 5 years',
    ]);
  });

  it('is a limit at or below that of the plan', () => {
    expect(why(limited(600, 50_000))).to.deep.equal([]);
    expect(why(limited(1, 1))).to.deep.equal([]);
    expect(why(limited(601, 50_001))).to.deep.equal([
      'limit per minute | out_of_range | must be from 1 to 600, the limit of the plan',
      'limit per day | out_of_range | must be from 1 to 50,000, the limit of the plan',
    ]);
    expect(why(limited(0, 0))).to.have.length(2);
  });

  it('is what was set before, although it could not be set again', () => {
    expect(why(at(NOON), at(NOON))).to.deep.equal([]);
    expect(why(limited(3_000, 1_000_000), limited(3_000, 1_000_000))).to.deep.equal([]);
    expect(why(limited(3_000, 1), limited(3_000, 1_000_000))).to.deep.equal([]);
  });
});

describe('A key without controls (D72)', () => {
  const network = '192.0.2.1' as Network;
  const some: readonly (readonly [what: string, Partial<KeyControls>])[] = [
    ['an expiry', { expiresAt: NOON }],
    ['an allowlist', { allowlist: [network] }],
    ['a limit per minute', { limits: { perMinute: 1, perDay: null } }],
    ['a limit per day', { limits: { perMinute: null, perDay: 1 } }],
  ];
  it('has none to enforce', () => {
    expect(setControls(NO_CONTROLS)).to.equal(null);
    expect(setLimits(NO_CONTROLS)).to.equal(null);
  });
  for (const [what, given] of some)
    it(`is none with ${what}`, () => {
      const set = controls(given);
      expect(setControls(set)).to.equal(set);
      expect(setLimits(set) !== null).to.equal('limits' in given);
    });
});
