import { expect } from 'chai';
import { accountDays, type DayCounts, firstDayShown } from '../../../src/domain/accounts/account-days.js';
import { DAY, plus, startOfDay } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const TODAY = startOfDay(NOON);
const ago = (days: number) => plus(TODAY, -days * DAY);
const NONE: DayCounts = { opened: new Map(), canceled: new Map(), uncountedUntil: null };

describe('The days of the accounts', () => {
  it('are fourteen with today, the newest first, those without an event included', () => {
    const days = accountDays(NONE, NOON);
    expect(days).to.have.length(14);
    expect(days[0]).to.deep.equal({ day: TODAY, opened: 0, canceled: 0 });
    expect(days.map(({ day }) => day)).to.deep.equal(days.map((_, age) => ago(age)));
    expect(firstDayShown(NOON)).to.equal(days.at(-1)?.day).and.equal(ago(13));
  });

  it('have the counts of their day, and none of a day before the first', () => {
    const opened = new Map([
      [TODAY, 3],
      [ago(13), 2],
      [ago(14), 9],
    ]);
    const days = accountDays({ ...NONE, opened, canceled: new Map([[ago(1), 4]]) }, NOON);
    expect([days[0]?.opened, days[13]?.opened, days[1]?.canceled]).to.deep.equal([3, 2, 4]);
    expect(days.reduce((sum, day) => sum + day.opened, 0)).to.equal(5);
  });

  it('have no number of cancellations up to the last day of which some were left out', () => {
    const counts = { ...NONE, canceled: new Map([[ago(2), 1]]), uncountedUntil: ago(2) };
    const canceled = accountDays(counts, NOON).map((day) => day.canceled);
    expect(canceled).to.deep.equal([0, 0, ...Array.from({ length: 12 }, () => null)]);
  });
});
