import { expect } from 'chai';
import fc from 'fast-check';
import {
  BATCH_LIMIT,
  BATCH_WAIT,
  type BatchOutcome,
  isFreeBatch,
} from '../../../src/domain/feed/stream-batch.js';

describe('A batch', () => {
  it('has 1 to 500 messages, 100 by default, and waits 0 to 30 s, 0 by default (D58)', () => {
    expect(BATCH_LIMIT).to.deep.equal({ minimum: 1, maximum: 500, default: 100 });
    expect(BATCH_WAIT).to.deep.equal({ minimum: 0, maximum: 30, default: 0 });
  });

  const empty: BatchOutcome = { problem: null, messages: 0, hasLooked: true, waitedMs: 5_000 };
  const table: readonly (readonly [title: string, BatchOutcome, isFree: boolean])[] = [
    ['waited 5 s after it had caught up', empty, true],
    ['waited less', { ...empty, waitedMs: 4_999 }, false],
    ['never caught up, however long that took', { ...empty, waitedMs: 0 }, false],
    ['has a message', { ...empty, messages: 1, waitedMs: 30_000 }, false],
    ['was refused before anything was read', { ...empty, problem: 'other', hasLooked: false }, true],
    ['was refused after changes were read', { ...empty, problem: 'other' }, false],
    ['could not read the store', { ...empty, problem: 'unavailable', hasLooked: false }, false],
  ];
  for (const [title, outcome, isFree] of table)
    it(`is ${isFree ? 'free' : 'paid'} if it ${title} (D58)`, () => {
      expect(isFreeBatch(outcome)).to.equal(isFree);
    });

  it('costs its permit if it has a message, however long it waited', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.nat(30_000),
        fc.boolean(),
        (messages, waitedMs, hasLooked) => {
          expect(isFreeBatch({ problem: null, messages, hasLooked, waitedMs })).to.equal(false);
        },
      ),
    );
  });
});
