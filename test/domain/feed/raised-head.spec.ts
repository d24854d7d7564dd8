import { expect } from 'chai';
import { raisedHead } from '../../../src/domain/feed/raised-head.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const at = (seconds: number) => plus(NOON, seconds * SECOND);

describe('The head after a return to an older state (D45)', () => {
  // biome-ignore format: a table is read by its columns
  const cases = [
    ['nothing was seen',                          at(0), null,   null],
    ['the stored head is the one that was seen',  at(0), at(0),  null],
    ['the stored head is greater',                at(1), at(0),  null],
    ['a greater head was seen',                   at(0), at(1),  at(1)],
    ['the stored feed has no head',               null,  at(1),  at(1)],
    ['the head is 5 s ahead of the clock',        at(0), at(5),  at(5)],
    ['the head is further ahead',                 at(0), at(60), at(5)],
    ['both are further ahead',                    at(9), at(60), null],
  ] as const;
  for (const [when, stored, seen, expected] of cases) {
    it(`${expected === null ? 'stays' : 'is raised'} when ${when}`, () => {
      expect(raisedHead(stored, seen, NOON)).to.equal(expected);
    });
  }
});
