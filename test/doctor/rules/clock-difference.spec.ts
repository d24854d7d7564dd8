import { expect } from 'chai';
import { clockFinding } from '../../../src/doctor/rules/clock-difference.js';
import { MILLISECOND, SECOND } from '../../../src/domain/moment.js';

describe('The clock of a server', () => {
  // biome-ignore format: a table is read by its columns
  const rows = [
    // ahead,              uncertainty,       result
    [0,                    MILLISECOND,       'ok'],
    [SECOND,               0,                 'ok'],
    [-SECOND,              0,                 'ok'],
    [SECOND + MILLISECOND, 0,                 'warning'],
    [-2 * SECOND,          0,                 'warning'],
    [2 * SECOND,           SECOND,            'ok'],      // The answer may have been on its way for a second.
    [3 * SECOND,           SECOND,            'warning'],
    [60 * SECOND,          0,                 'warning'],
    [61 * SECOND,          0,                 'failed'],
    [-61 * SECOND,         0,                 'failed'],
    [61 * SECOND,          SECOND,            'warning'],
    [-3_600 * SECOND,      500 * MILLISECOND, 'failed'],
  ] as const;
  for (const [ahead, uncertainty, result] of rows) {
    it(`is ${result} at ${ahead / SECOND} s, measured within ${uncertainty / SECOND} s`, () => {
      expect(clockFinding('Redis', { ahead, uncertainty }).result).to.equal(result);
    });
  }

  it('is named with its direction and its certain difference, and with what to do', () => {
    const ahead = clockFinding('Postgres', { ahead: 5_500_000, uncertainty: SECOND });
    expect(ahead.detail).to.equal('the clock of Postgres is 4.5 s ahead of the clock of this machine');
    expect(ahead.advice).to.include('chrony').and.to.include('Postgres');
    const behind = clockFinding('Stripe', { ahead: -120 * SECOND, uncertainty: 0 });
    expect(behind.detail).to.equal('the clock of Stripe is 120 s behind the clock of this machine');
  });
});
