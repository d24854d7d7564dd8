import { expect } from 'chai';
import { type CopyUse, copyUse, isCurrent, type LogReading } from '../../src/domain/copy-use.js';

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
