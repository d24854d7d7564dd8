import { expect } from 'chai';
import fc from 'fast-check';
import {
  type CopyUse,
  copyUse,
  isCurrent,
  isReadAgain,
  isReadFirst,
  isShareable,
  isTooOld,
  isWithin,
  type LogReading,
  nextComparisonAt,
  nextRefreshAt,
  type PageSource,
  pageSource,
  repeatedComparisonAt,
} from '../../../src/adapters/caching/copy-use.js';
import { runs } from '../../support/objects/builders.js';

const CALM: LogReading = { readAt: 0, failedAt: null, beganAt: null, wokeAt: null, isStoreAway: false };

describe('Copies of stored data', () => {
  it('are current until 1.5 s after the start of the last complete read (D39)', () => {
    expect([isCurrent(null, 0), isCurrent(0, 0), isCurrent(0, 1_499), isCurrent(0, 1_500)]).to.deep.equal([
      ...[false, true, true, false],
    ]);
  });

  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [string, Partial<LogReading>, number, CopyUse])[] = [
    ['current while the logs were read in time',            {},                                                  1_499, 'current'],
    ['current even if a later read failed',                 { failedAt: 500 },                                   1_499, 'current'],
    ['outdated at once while the store is away',            { isStoreAway: true, beganAt: 1_490 },               1_500, 'outdated'],
    ['outdated at once after a failed read',                { failedAt: 500, beganAt: 1_490 },                   1_500, 'outdated'],
    ['not judged by a failure before the last read',        { readAt: 600, failedAt: 500, beganAt: 2_050 },      2_100, { waitUntil: 2_150 }],
    ['awaited until 100 ms after the start of a read',      { beganAt: 1_490 },                                  1_500, { waitUntil: 1_590 }],
    ['outdated if the read under way takes longer',         { beganAt: 1_400 },                                  1_500, 'outdated'],
    ['awaited for 100 ms if no read is under way',          {},                                                  1_500, { waitUntil: 1_600 }],
    ['awaited before the first read',                       { readAt: null, beganAt: 0 },                        50,    { waitUntil: 100 }],
    ['awaited for 1 s after a pause of the process',        { wokeAt: 3_000, beganAt: 3_000 },                   3_000, { waitUntil: 4_000 }],
    ['awaited after a pause whatever failed before it',     { wokeAt: 3_000, failedAt: 500, beganAt: 3_000 },    3_900, { waitUntil: 4_000 }],
    ['outdated 1 s after a pause',                          { wokeAt: 3_000, beganAt: 3_000 },                   4_000, 'outdated'],
    ['outdated if the read after a pause failed',           { wokeAt: 3_000, failedAt: 3_000, beganAt: 3_450 },  3_500, 'outdated'],
    ['outdated after a pause while the store is away',      { wokeAt: 3_000, isStoreAway: true },                3_000, 'outdated'],
    ['judged by a read after a pause as usual',             { readAt: 3_000, wokeAt: 3_000, beganAt: 4_480 },    4_500, { waitUntil: 4_580 }],
  ];
  for (const [what, reading, now, expected] of cases) {
    it(`are ${what}`, () => {
      expect(copyUse({ ...CALM, ...reading }, now)).to.deep.equal(expected);
    });
  }
});

describe('A page whose items are in the copy', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [string, CopyUse, isStoreAway: boolean, isApplied: boolean, PageSource])[] = [
    ['comes from the copy while it is current',                           'current',           false, true,  'copy'],
    ['comes from the copy while it is current, even if the store is away', 'current',          true,  true,  'copy'],
    ['comes from the store while the copy lacks the changes of the logs', 'current',           false, false, 'store'],
    ['is awaited with the read of the logs',                              { waitUntil: 1_600 }, false, true, { waitUntil: 1_600 }],
    ['comes from the store while only the logs cannot be read',           'outdated',          false, true,  'store'],
    ['comes from the copy while the store is away (D35)',                 'outdated',          true,  false, 'copy'],
  ];
  for (const [what, use, isStoreAway, isApplied, expected] of cases) {
    it(what, () => {
      expect(pageSource(use, isStoreAway, isApplied)).to.deep.equal(expected);
    });
  }

  it('is read after the logs if it has a cursor and another instance runs, unless the store is away (D44)', () => {
    const states = [true, false].flatMap((hasCursor) =>
      [true, false].flatMap((isAlone) =>
        [true, false].map((isStoreAway) => [hasCursor, isAlone, isStoreAway] as const),
      ),
    );
    expect(states.filter((state) => isReadFirst(...state))).to.deep.equal([[true, false, false]]);
  });

  it('is read from the store at most every 0.5 s', () => {
    expect([isShareable(0, 0), isShareable(0, 499), isShareable(0, 500)]).to.deep.equal([true, true, false]);
  });
});

describe('The copy of a key', () => {
  const MAX = 600_000;
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [string, copiedAt: number, readAt: number | null, now: number, boolean])[] = [
    ['until its greatest age after its look-up',                     0,       null,    MAX - 1,     true],
    ['no longer after that',                                         0,       null,    MAX,         false],
    ['until its greatest age after the last read of the logs',       0,       5_000,   MAX + 4_999, true],
    ['no longer after that either',                                  0,       5_000,   MAX + 5_000, false],
    ['until its greatest age after a look-up that followed the read', 9_000,  5_000,   MAX + 8_999, true],
  ];
  for (const [what, copiedAt, readAt, now, expected] of cases) {
    it(`is used while the logs are not read ${what} (D35)`, () => {
      expect(isWithin(MAX, copiedAt, readAt, now)).to.equal(expected);
    });
  }

  it('is looked up again every second while the logs are not read', () => {
    expect(nextRefreshAt(5)).to.equal(1_005);
  });

  it('does not come from a look-up that took longer than a second (D39)', () => {
    expect([isTooOld(5, 1_005), isTooOld(5, 1_006)]).to.deep.equal([false, true]);
  });

  it('is compared with the store after the given time to twice as long, and a second after a failure', () => {
    const afterMs = fc.integer({ min: 1, max: 1_000_000 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const property = fc.property(afterMs, random, (ms, chance) => {
      expect(nextComparisonAt(7, ms, chance)).to.be.within(7 + ms, 7 + 2 * ms);
    });
    fc.assert(property, runs(200));
    expect([nextComparisonAt(7, 100, 0), nextComparisonAt(7, 100, 0.5)]).to.deep.equal([107, 157]);
    expect(repeatedComparisonAt(7)).to.equal(1_007);
  });
});

describe('A page with a cursor that the store cannot return (D35)', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [isRefused: boolean, reads: number, waitedMs: number, again: boolean])[] = [
    [false, 1,  10,    true],  // No answer: it is not known yet whether the store is away.
    [false, 40, 2_999, true],
    [false, 4,  3_000, false],
    [true,  1,  10,    true],
    [true,  2,  20,    false], // The store answers, and refuses.
  ];
  for (const [isRefused, reads, waitedMs, again] of rows)
    it(`is ${again ? '' : 'not '}read again after ${reads} reads and ${waitedMs} ms (refused: ${isRefused})`, () => {
      expect(isReadAgain(isRefused, reads, waitedMs)).to.equal(again);
    });
});
