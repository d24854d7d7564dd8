import { expect } from 'chai';
import sinon from 'sinon';
import { WaitingQueue } from '../../../src/adapters/live/waiting-queue.js';

describe('A queue of waiting streams', () => {
  it('gives every member once, the first one first, whether it was empty meanwhile or not', () => {
    const queue = new WaitingQueue<number>();
    const taken: number[] = [];
    let added = 0;
    const add = (count: number) => {
      for (let n = 0; n < count; n += 1) {
        queue.add(added);
        added += 1;
      }
    };
    const take = (count: number) => {
      for (let n = 0; n < count; n += 1) taken.push(queue.next() ?? -1);
    };
    const moved = sinon.spy(Array.prototype, 'copyWithin');
    // Long enough to move the members to the front, several times: a queue that is never empty must not grow.
    for (let round = 0; round < 20; round += 1) {
      add(1_000);
      take(900);
    }
    expect(moved.callCount).to.be.above(1);
    moved.restore();
    expect(queue.isEmpty).to.equal(false);
    take(2_000);
    expect(queue.isEmpty).to.equal(true);
    add(3);
    take(3);
    expect(taken).to.deep.equal(Array.from({ length: added }, (_, n) => n));
  });

  it('is empty at first', () => {
    const queue = new WaitingQueue<number>();
    expect([queue.isEmpty, queue.next()]).to.deep.equal([true, undefined]);
  });
});
