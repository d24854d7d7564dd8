import { expect } from 'chai';
import fc from 'fast-check';
import { BATCH_LIMIT, BATCH_WAIT, isFreeBatch } from '../../../src/domain/feed/stream-batch.js';

describe('A batch', () => {
  it('has 1 to 500 messages, 100 by default, and waits 0 to 30 s, 0 by default (D58)', () => {
    expect(BATCH_LIMIT).to.deep.equal({ minimum: 1, maximum: 500, default: 100 });
    expect(BATCH_WAIT).to.deep.equal({ minimum: 0, maximum: 30, default: 0 });
  });

  it('is free only if it is empty and waited 5 s or more (D58)', () => {
    const table: readonly (readonly [messages: number, waitedMs: number])[] = [
      [0, 4_999],
      [0, 5_000],
      [0, 30_000],
      [1, 30_000],
      [0, 0],
    ];
    expect(table.map(([messages, waited]) => isFreeBatch(messages, waited))).to.deep.equal([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('costs its permit if it has a message, however long it waited', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(30_000), (messages, waited) => {
        expect(isFreeBatch(messages, waited)).to.equal(false);
      }),
    );
  });
});
