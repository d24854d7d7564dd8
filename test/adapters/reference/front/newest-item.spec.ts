import { expect } from 'chai';
import { exampleItem } from '../../../../src/adapters/http/openapi/examples/example-item.js';
import { newestItem } from '../../../../src/adapters/reference/front/newest-item.js';
import type { ReadFeed } from '../../../../src/application/feed/read-feed.js';
import type { FeedQuery } from '../../../../src/domain/feed/feed-query.js';
import { MILLISECOND, type Moment, plus, SECOND } from '../../../../src/domain/moment.js';

const START = '2026-03-03T14:00:00.000000Z' as Moment;

/** A feed that counts what is asked. */
function feedOf(count: number, fault: { value: boolean }) {
  const asked: FeedQuery[] = [];
  const item = { scoredAt: START };
  const readFeed = (async (query: FeedQuery) => {
    asked.push(query);
    if (fault.value) throw new Error('away');
    const page = { items: Array.from({ length: count }, () => item), nextCursor: null };
    return { page, bytesOf: () => Buffer.from(JSON.stringify(exampleItem())) };
  }) as unknown as ReadFeed;
  return { readFeed, asked };
}

describe('The newest item of the front page', () => {
  const clockOf = () => {
    const clock = { now: START };
    return { clock, read: () => clock.now };
  };

  it('is read at most once a second, for all visitors together', async () => {
    const { readFeed, asked } = feedOf(1, { value: false });
    const { clock, read } = clockOf();
    const newest = newestItem({ readFeed, clock: read });
    await Promise.all(Array.from({ length: 50 }, newest));
    clock.now = plus(START, 999 * MILLISECOND);
    expect((await newest())?.at).to.equal(START);
    // One for the item, and one for the prices of its market.
    expect(asked.map(({ marketId }) => marketId === null)).to.deep.equal([true, false]);
    clock.now = plus(START, SECOND);
    const next = await newest();
    expect([next?.at, next?.points.length]).to.deep.equal([plus(START, SECOND), 1]);
    expect(asked).to.have.length(4);
  });

  it('is read again if the clock went back', async () => {
    const { readFeed, asked } = feedOf(1, { value: false });
    const { clock, read } = clockOf();
    const newest = newestItem({ readFeed, clock: read });
    await newest();
    clock.now = plus(START, -SECOND);
    await newest();
    expect(asked).to.have.length(4);
  });

  it('is null for an empty feed and for one that cannot be read, and this is not kept', async () => {
    const fault = { value: false };
    const { readFeed, asked } = feedOf(0, fault);
    const newest = newestItem({ readFeed, clock: clockOf().read });
    expect(await newest()).to.equal(null);
    fault.value = true;
    expect(await newest()).to.equal(null);
    expect(asked).to.have.length(2);
  });
});
