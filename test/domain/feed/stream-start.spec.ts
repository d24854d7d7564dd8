import { expect } from 'chai';
import fc from 'fast-check';
import { NO_MARK, type Position } from '../../../src/domain/feed/position.js';
import {
  afterChanges,
  isInItems,
  isReplayed,
  isReplayKept,
  logPositionOf,
  neededChanges,
  positionState,
  replayFrom,
} from '../../../src/domain/feed/stream-start.js';
import { DAY, FIRST_MOMENT, plus } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

const MARK = '1'.repeat(16);
const OTHER = '2'.repeat(16);
const at = (n: number, mark = MARK): Position => ({ n, mark });

describe('The state of a position (D45, D46)', () => {
  const log = { oldest: 10, newest: at(20) };
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [string, Position, stored: Position | null, state: string])[] = [
    ['in the log',                                at(15),           at(15),           'valid'],
    ['at the oldest change',                      at(10),           at(10),           'valid'],
    ['at the newest change',                      at(20),           at(20),           'valid'],
    ['of another mark',                           at(15, OTHER),    at(15),           'expired'],
    ['of another mark, at the newest change',     at(20, OTHER),    at(20),           'expired'],
    ['of a change that the log lacks',            at(15),           null,             'expired'],
    ['below the oldest change',                   at(9),            null,             'expired'],
    ['below the oldest change, read before',      at(9),            at(9),            'expired'],
    ['at the start of the log, which is removed', at(0),            null,             'expired'],
    ['above the newest change',                   at(21),           null,             'ahead'],
    ['above the newest change, of another mark',  at(21, OTHER),    null,             'ahead'],
    ['of a change without a mark',                at(15, NO_MARK),  at(15, NO_MARK),  'expired'],
    ['without a mark, of a change with one',      at(15, NO_MARK),  at(15),           'expired'],
  ];
  for (const [name, position, stored, state] of rows) {
    it(`is ${state} for one ${name}`, () => {
      expect(positionState(position, log, stored)).to.equal(state);
    });
  }

  it('is valid at the start of a log that still has it', () => {
    expect(positionState(at(0), { oldest: 0, newest: at(0) }, at(0))).to.equal('valid');
  });

  it('is valid only for a position that the log has, between its ends', () => {
    const number = fc.nat(30);
    const marks = fc.constantFrom(MARK, OTHER, NO_MARK);
    const property = fc.property(number, marks, marks, number, number, (n, mark, storedMark, a, b) => {
      const [oldest, newest] = [Math.min(a, b), Math.max(a, b)];
      const isThere = n >= oldest && n <= newest;
      const stored = isThere ? at(n, storedMark) : null;
      const state = positionState(at(n, mark), { oldest, newest: at(newest) }, stored);
      expect(state === 'valid').to.equal(isThere && mark === storedMark && mark !== NO_MARK);
      expect(state === 'ahead').to.equal(n > newest);
    });
    fc.assert(property, runs(500));
  });
});

describe('A replay (D48)', () => {
  it('needs the changes after the position at which it began', () => {
    expect(logPositionOf({ of: 'log', position: at(7) })).to.deep.equal(at(7));
    expect(logPositionOf({ of: 'replay', began: at(7), seen: at(9), reached: NOON })).to.deep.equal(at(7));
  });

  it('is lost with the changes that it has seen, until they are sent', () => {
    const replay = { of: 'replay', began: at(7), seen: at(9), reached: NOON } as const;
    expect(neededChanges(replayFrom(NOON, at(7)))).to.deep.equal([at(7), at(7)]);
    expect(neededChanges(replay)).to.deep.equal([at(7), at(9)]);
    const after = [7, 8, 9, 10].map((n) => afterChanges(at(n), replay.seen));
    expect(after.map(neededChanges)).to.deep.equal([[at(7), at(9)], [at(8), at(9)], [at(9)], [at(10)]]);
    expect(neededChanges(afterChanges(at(7), null))).to.deep.equal([at(7)]);
  });

  it('sends its items first, then the changes', () => {
    const replay = replayFrom(NOON, at(7));
    expect([replay, { ...replay, reached: plus(NOON, DAY) }].map(isInItems)).to.deep.equal([true, true]);
    expect([afterChanges(at(7), at(9)), afterChanges(at(7), null)].map(isInItems)).to.deep.equal([
      false,
      false,
    ]);
  });

  it('sends the items that have not changed after it began: the others come later, with their change', () => {
    const sent = [0, 6, 7, 8, 100].filter((n) => isReplayed({ n }, at(7)));
    expect(sent).to.deep.equal([0, 6, 7]);
  });

  it('reaches back as long as changes are kept, including that moment', () => {
    const week = 7 * DAY;
    const asked = [plus(NOON, -week - 1), plus(NOON, -week), plus(NOON, -week + 1), NOON, plus(NOON, DAY)];
    expect(asked.map((since) => isReplayKept(since, NOON, week))).to.deep.equal([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(isReplayKept(FIRST_MOMENT, NOON, week)).to.equal(false);
  });
});
