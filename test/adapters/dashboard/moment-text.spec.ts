import { expect } from 'chai';
import {
  dayText,
  fullMomentText,
  momentText,
  shortDayText,
  shortMomentText,
  shortSecondText,
} from '../../../src/adapters/dashboard/page/moment-text.js';
import type { Moment } from '../../../src/domain/moment.js';

const NOW = '2026-03-01T12:00:00.000000Z' as Moment;

describe('the texts of a moment on pages', () => {
  // prettier-ignore
  for (const [at, day, time, second] of [
    ['2026-03-01T12:00:00.000000Z', '1 Mar', '12:00', '12:00:00'],
    ['2026-03-01T00:00:00.000000Z', '1 Mar', '00:00', '00:00:00'],
    ['2026-03-01T23:59:59.999999Z', '1 Mar', '23:59', '23:59:59'],
    ['2026-02-28T23:59:59.999999Z', '28 Feb', '28 Feb, 23:59', '28 Feb, 23:59:59'],
    ['2026-03-02T00:00:00.000000Z', '2 Mar', '2 Mar, 00:00', '2 Mar, 00:00:00'],
    ['2026-12-31T14:03:07.000000Z', '31 Dec', '31 Dec, 14:03', '31 Dec, 14:03:07'],
    ['2025-03-01T12:00:00.000000Z', '1 Mar 2025', '1 Mar 2025, 12:00', '1 Mar 2025, 12:00:00'],
    ['2027-01-01T00:00:00.000000Z', '1 Jan 2027', '1 Jan 2027, 00:00', '1 Jan 2027, 00:00:00'],
  ] as const) {
    it(`are short for ${at}: ${day}; ${time}; ${second}`, () => {
      const moment = at as Moment;
      const texts = [shortDayText(moment, NOW), shortMomentText(moment, NOW), shortSecondText(moment, NOW)];
      expect(texts).to.deep.equal([day, time, second]);
    });
  }

  it('have the day and the year if it is not known when the page was rendered', () => {
    const texts = [shortDayText(NOW, null), shortMomentText(NOW, null), shortSecondText(NOW, null)];
    expect(texts).to.deep.equal(['1 Mar 2026', '1 Mar 2026, 12:00', '1 Mar 2026, 12:00:00']);
  });

  it('are full in a title and in texts that are read without their page', () => {
    const at = '2026-03-01T14:03:07.123456Z' as Moment;
    expect(fullMomentText(at)).to.equal('1 March 2026, 14:03:07 UTC');
    expect(momentText(at)).to.equal('1 March 2026, 14:03 UTC');
    expect(dayText(at)).to.equal('1 March 2026');
  });
});
