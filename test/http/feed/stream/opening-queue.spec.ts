import { expect } from 'chai';
import { OpeningQueue } from '../../../../src/adapters/http/feed/stream/opening-queue.js';
import { nextImmediate } from '../../../support/next-immediate.js';

const WAIT_MAX_MS = 4_000;

describe('The queue of streams that open', () => {
  let accepted: number;
  let now: number;
  let queue: OpeningQueue;
  let begun: number[];
  beforeEach(() => {
    accepted = 0;
    now = 0;
    begun = [];
    queue = new OpeningQueue(
      () => accepted,
      () => now,
    );
  });

  const arrive = (count: number) => {
    const from = begun.length;
    for (let n = 0; n < count; n += 1) void queue.wait().then(() => begun.push(from + n));
  };

  it('begins eight in each turn of the event loop, in the order of their arrival', async () => {
    arrive(20);
    const counts: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await nextImmediate();
      counts.push(begun.length);
    }
    expect(counts).to.deep.equal([8, 16, 20]);
    expect(begun).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
  });

  it('waits while each turn accepts a connection', async () => {
    arrive(1);
    for (let n = 0; n < 10; n += 1) {
      accepted += 1;
      await nextImmediate();
      expect(begun).to.deep.equal([]);
    }
    await nextImmediate();
    expect(begun).to.deep.equal([0]);
  });

  it('does not wait for connections that were accepted before', async () => {
    arrive(1);
    await nextImmediate();
    accepted = 5_000;
    await nextImmediate();
    arrive(1);
    await nextImmediate();
    await nextImmediate();
    expect(begun).to.deep.equal([0, 1]);
  });

  it(`waits for at most ${WAIT_MAX_MS} ms`, async () => {
    arrive(9);
    const begunAt = async (atMs: number) => {
      accepted += 1;
      now = atMs;
      await nextImmediate();
      return begun.length;
    };
    expect(await begunAt(WAIT_MAX_MS - 1)).to.equal(0);
    expect(await begunAt(WAIT_MAX_MS)).to.equal(8);
    expect(await begunAt(WAIT_MAX_MS)).to.equal(9);
  });
});
