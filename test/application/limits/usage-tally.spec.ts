import { expect } from 'chai';
import { UsageTally } from '../../../src/application/limits/usage-tally.js';
import { DAY, HOUR, plus } from '../../../src/domain/moment.js';
import { keyId, NOON } from '../../support/objects/builders.js';

const hour = (n: number) => plus(NOON, n * HOUR);
const [ONE, OTHER, THIRD] = [keyId('one'), keyId('other'), keyId('third')];
const seen = (tally: UsageTally) =>
  tally.all().map((count) => [count.key, count.hour, count.statusClass, count.requests]);

describe('A tally of usage', () => {
  it('counts hours in any order', () => {
    const tally = new UsageTally();
    for (const n of [1, 0, 1, 2, 0, 1]) tally.note(ONE, 200, plus(hour(n), 59));
    tally.add({ key: ONE, hour: hour(1), statusClass: '4xx', requests: 7 });
    expect(seen(tally)).to.have.deep.members([
      [ONE, hour(0), '2xx', 2],
      [ONE, hour(1), '2xx', 3],
      [ONE, hour(1), '4xx', 7],
      [ONE, hour(2), '2xx', 1],
    ]);
  });

  it('keeps a limited number of key-hours, and drops the oldest hour to make room', () => {
    const tally = new UsageTally(3);
    tally.note(ONE, 200, hour(1));
    tally.note(ONE, 200, hour(0));
    tally.note(OTHER, 200, hour(0));
    tally.note(ONE, 200, hour(1));
    expect(seen(tally)).to.have.length(3);
    tally.note(ONE, 200, hour(2));
    expect(seen(tally)).to.have.deep.members([
      [ONE, hour(1), '2xx', 2],
      [ONE, hour(2), '2xx', 1],
    ]);
    tally.note(OTHER, 200, hour(2));
    expect(seen(tally)).to.have.length(3);
  });

  it('starts again at 0 if the current hour is the oldest', () => {
    const tally = new UsageTally(2);
    for (const key of [ONE, OTHER, THIRD, THIRD]) tally.note(key, 200, NOON);
    expect(seen(tally)).to.deep.equal([[THIRD, NOON, '2xx', 2]]);
  });

  it('makes room by dropping hours beyond the retention', () => {
    const tally = new UsageTally(2);
    tally.note(ONE, 200, NOON);
    tally.note(OTHER, 200, NOON);
    const later = plus(NOON, 32 * DAY);
    for (const key of [ONE, OTHER]) tally.note(key, 200, later);
    expect(seen(tally)).to.have.deep.members([
      [ONE, later, '2xx', 1],
      [OTHER, later, '2xx', 1],
    ]);
  });
});
