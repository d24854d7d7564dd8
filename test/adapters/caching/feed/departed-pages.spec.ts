import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { FeedCopy } from '../../../../src/adapters/caching/feed/feed-copy.js';
import { SharedPages } from '../../../../src/adapters/caching/feed/shared-pages.js';
import { MemoryFeedStore } from '../../../../src/adapters/memory/feed/memory-feed-store.js';
import type { FeedPageSnapshot } from '../../../../src/application/ports/feed/feed-store.js';
import type { Position } from '../../../../src/domain/feed/position.js';
import { EVERYTHING, item } from '../../../support/objects/listed-items.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bounded, because a test that has timed out must not keep its process from its end. */
const TRIES = 200;

/** Whether nothing keeps the page some time later. */
async function isCollected(page: WeakRef<FeedPageSnapshot>): Promise<boolean> {
  for (let tries = 0; tries < TRIES && page.deref() !== undefined; tries += 1) {
    await setTimeout(10);
    collectGarbage();
  }
  return page.deref() === undefined;
}

/** A page has up to 500 items. Those that have left the feed are in memory only as long as a page keeps them. */
describe('A page that no request may use any more leaves the memory', function () {
  this.timeout(20_000);

  it('of the copy after the next change', async () => {
    const feed = new MemoryFeedStore();
    await feed.publish([item('a', 1)], 'live');
    const copy = new FeedCopy(feed, feed, { max: 10 });
    const start: Position = feed.log.newest;
    copy.rebuild(start);
    await copy.updated();
    const page = new WeakRef(copy.page(EVERYTHING) ?? never());
    await feed.publish([item('b', 2)], 'live');
    const changes = feed.log.after(start, 10);
    if (typeof changes === 'string') throw new Error(changes);
    copy.apply(changes.map(({ position, change }) => ({ position, ...change })));
    await copy.updated();
    expect(await isCollected(page)).to.equal(true);
  });

  it('of the store after half a second', async () => {
    const store = { page: async () => ({ items: [] }) as unknown as FeedPageSnapshot };
    const shared = new SharedPages(store, () => performance.now());
    const read = async () => {
      const page = await shared.page(EVERYTHING);
      if (page instanceof Error) throw page;
      return new WeakRef(page);
    };
    expect(await isCollected(await read())).to.equal(true);
  });
});

function never(): never {
  throw new Error('the copy has no page');
}
