import { expect } from 'chai';
import { type AsOf, type FoundPoint, pastPoint } from '../../../../src/domain/feed/history/as-of.js';
import { NO_MARK } from '../../../../src/domain/feed/position.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';

const known = (n: number, mark = `${n}`.padStart(16, 'a')) => ({
  position: { n, mark },
  knownAt: plus(NOON, n * HOUR),
  head: null,
});
const start = known(5);
const at = (n: number, mark?: string): AsOf => ({ by: 'position', position: known(n, mark).position });
const time = (n: number): AsOf => ({ by: 'time', time: plus(NOON, n * HOUR) });
const found = (point: FoundPoint['point']): FoundPoint => ({ start, point });

describe('A point of the past', () => {
  const cases = [
    ['the change at a position', at(7), found(known(7)), known(7)],
    ['the start of the history', at(5), found(known(5)), known(5)],
    ['the last change known at a time', time(8), found(known(7)), known(7)],
  ] as const;
  for (const [title, asOf, point, expected] of cases)
    it(`is ${title}`, () => expect(pastPoint(asOf, point)).to.deep.equal(expected));

  const refused = [
    ['a position before the history', at(4), found(known(4)), 'before_history'],
    ['a position before the history of another one', at(4, 'b'), found(null), 'before_history'],
    ['a time before the history', time(4), found(null), 'before_history'],
    [
      'a time before the history, of which an older change is known',
      time(4),
      found(known(4)),
      'before_history',
    ],
    ['a position with another mark', at(7, 'b'.repeat(16)), found(known(7)), 'position_expired'],
    ['a position after the newest change', at(9), found(null), 'position_expired'],
    ['a position without a mark', at(7, NO_MARK), found(known(7, NO_MARK)), 'position_expired'],
  ] as const;
  for (const [title, asOf, point, code] of refused)
    it(`is refused for ${title}`, () => expect(pastPoint(asOf, point)).to.include({ refused: code }));
});
