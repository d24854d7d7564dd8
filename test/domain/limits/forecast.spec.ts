import { expect } from 'chai';
import { forecast } from '../../../src/domain/limits/forecast.js';

const DAY = { name: 'day', quota: 86_400, seconds: 86_400 };
/** The limit of a day after some hours with this many requests. */
const limitAfter = (hours: number, used: number) => ({
  policy: DAY,
  remaining: DAY.quota - used,
  secondsLeft: DAY.seconds - hours * 3_600,
});

describe('The forecast of a window', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [hours: number, used: number, share: number, exhaustedInHours: number | null])[] = [
    [12, 0,      0,   null],
    [12, 432,    0.01, null],
    [12, 43_200, 1,   null],
    [6,  43_200, 2,   6],
    [1,  3_600,  1,   null],
    [12, 86_400, 2,   0],
  ];
  for (const [hours, used, share, exhaustedInHours] of cases) {
    it(`is ${share * 100}% of the quota after ${hours} hours with ${used} requests`, () => {
      const exhaustedInSeconds = exhaustedInHours === null ? null : exhaustedInHours * 3_600;
      expect(forecast(limitAfter(hours, used))).to.deep.equal({ share, exhaustedInSeconds });
    });
  }

  it('is not made in the first hour of a day, in which any rate could be', () => {
    expect(forecast(limitAfter(0.99, 3_000))).to.equal(null);
    expect(forecast(limitAfter(0, 0))).to.equal(null);
  });
});
