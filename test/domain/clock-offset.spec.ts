import { expect } from 'chai';
import fc from 'fast-check';
import {
  boundedByDatabase,
  CLOCK_ALLOWANCES,
  CLOCK_TOLERANCE,
  certainOffset,
  clockAgreement,
  clockOffset,
} from '../../src/domain/clock-offset.js';
import { DAY, HOUR, MICROSECOND, MINUTE, plus, SECOND } from '../../src/domain/moment.js';
import { NOON, runs } from '../support/objects/builders.js';
import { nearMoments } from '../support/objects/moments.js';

describe('The clock of an instance', () => {
  // biome-ignore format: a table is read by its columns
  const CASES = [
    // ahead              round trip     agreement   readiness   work   live
    [0,                   0,             'agrees',   'up',       true,  true],
    [SECOND,              0,             'agrees',   'up',       true,  true],
    [SECOND + MICROSECOND, 0,            'deviates', 'degraded', true,  true],
    [-SECOND - MICROSECOND, 0,           'deviates', 'degraded', true,  true],
    [5 * SECOND,          0,             'deviates', 'degraded', true,  true],
    [5 * SECOND + MICROSECOND, 0,        'wrong',    'degraded', false, false],
    [-6 * SECOND,         0,             'wrong',    'degraded', false, false],
    [MINUTE,              0,             'wrong',    'degraded', false, false],
    [MINUTE + MICROSECOND, 0,            'unusable', 'down',     false, false],
    [40 * DAY,            2 * SECOND,    'unusable', 'down',     false, false],
    [-HOUR,               2 * SECOND,    'unusable', 'down',     false, false],
  ] as const;
  for (const [ahead, roundTrip, agreement, readiness, hasBackgroundWork, publishesLive] of CASES) {
    it(`${agreement} when it is ${ahead / SECOND} s ahead, known within ${roundTrip / SECOND} s`, () => {
      const offset = clockOffset(plus(NOON, ahead), NOON, { least: 0, greatest: roundTrip });
      expect(clockAgreement(offset)).to.equal(agreement);
      const allowance = { readiness, hasBackgroundWork, publishesLive };
      expect(CLOCK_ALLOWANCES[clockAgreement(offset)]).to.deep.equal(allowance);
    });
  }

  const round = fc.record({
    databaseAt: nearMoments,
    offset: fc.integer({ min: -DAY, max: DAY }),
    before: fc.integer({ min: 0, max: 20 * SECOND }),
    after: fc.integer({ min: 0, max: 20 * SECOND }),
  });
  const compared = ({
    databaseAt,
    offset,
    before,
    after,
  }: typeof round extends fc.Arbitrary<infer T> ? T : never) =>
    clockOffset(plus(databaseAt, offset + after), databaseAt, { least: 0, greatest: before + after });

  it('has its real offset within the bounds, whatever part of the round trip came before the reading', () => {
    fc.assert(
      fc.property(round, (each) => {
        const { least, greatest } = compared(each);
        expect(each.offset).to.be.within(least, greatest);
      }),
      runs(500),
    );
  });

  it('never has a greater certain offset than its real one, in no other direction', () => {
    fc.assert(
      fc.property(round, (each) => {
        const certain = certainOffset(compared(each));
        expect(Math.abs(certain)).to.be.at.most(Math.abs(each.offset));
        expect(certain * each.offset).to.be.at.least(0);
      }),
      runs(500),
    );
  });

  it('bounds a time by the clock of the database, and changes no earlier one', () => {
    fc.assert(
      fc.property(nearMoments, nearMoments, (at, databaseNow) => {
        const most = plus(databaseNow, CLOCK_TOLERANCE);
        expect(boundedByDatabase(at, databaseNow)).to.equal(at < most ? at : most);
      }),
      runs(200),
    );
  });
});
