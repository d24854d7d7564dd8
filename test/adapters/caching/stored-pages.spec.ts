import { expect } from 'chai';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { storedPages } from '../../../src/adapters/caching/feed/stored-pages.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { ALONE } from '../../support/copies/followed-feed.js';
import { hotFeed } from '../../support/copies/joined-feed.js';
import { withoutVersion } from '../../support/copies/without-version.js';
import { NOON } from '../../support/objects/builders.js';
import { at, EVERYTHING, item } from '../../support/objects/listed-items.js';
import { unavailability } from '../../support/service/faults.js';

describe('A page from a store that returned to an older state (D45)', () => {
  const opened = async () => {
    const feed = new MemoryFeedStore();
    await feed.publish([item('a', 1)], 'live');
    const copy = new FeedCopy(feed, feed, { max: 10 });
    const notices = { count: 0, onNotice: async (): Promise<unknown> => undefined };
    const follower = {
      readAt: 0,
      pageSource: () => 'copy' as const,
      readWithin: async () => true,
      use: () => 'current' as const,
      untilCurrent: async () => true,
      readNow: async () => {
        notices.count += 1;
        await notices.onNotice();
      },
    };
    return { feed, copy, notices, follower, page: storedPages(feed, copy, follower).page };
  };

  it('is read once while no greater head was seen', async () => {
    const { feed, copy, notices, page } = await opened();
    expect(withoutVersion(await page(EVERYTHING))).to.deep.equal(withoutVersion(feed.page(EVERYTHING)));
    expect(copy.greatestHead).to.equal(at(1));
    expect(withoutVersion(await page(EVERYTHING))).to.deep.equal(withoutVersion(feed.page(EVERYTHING)));
    expect(notices.count).to.equal(0);
  });

  it('is read again after the logs, and has the raised head', async () => {
    const { feed, copy, notices, page } = await opened();
    copy.noteHead(at(9));
    notices.onNotice = () => feed.raiseHead(copy.greatestHead, NOON);
    expect((await page(EVERYTHING)).head).to.equal(at(9));
    expect(notices.count).to.equal(1);
  });

  it('has the lost head until the head is raised', async () => {
    const { feed, copy, notices, page } = await opened();
    copy.noteHead(at(9));
    notices.onNotice = async () => copy.keepHead(copy.greatestHead);
    expect((await page(EVERYTHING)).head).to.equal(at(9));
    copy.rebuild(feed.log.newest);
    await copy.updated();
    expect(withoutVersion(copy.page(EVERYTHING))).to.deep.equal({
      ...withoutVersion(feed.page(EVERYTHING)),
      head: at(9),
    });
    await feed.publish([item('b', 10)], 'live');
    expect((await page(EVERYTHING)).head).to.equal(at(10));
  });

  it('is not returned while the logs cannot be read', async () => {
    const { copy, notices, page } = await opened();
    copy.noteHead(at(9));
    notices.onNotice = () => Promise.reject(new Unavailable('the change logs'));
    await unavailability(Promise.resolve(page(EVERYTHING)));
  });

  it('has an item published then above the head that was seen', async () => {
    const { feed, copy, notices, follower } = await opened();
    copy.noteHead(at(9));
    notices.onNotice = () => feed.raiseHead(at(9), NOON);
    const hot = hotFeed(feed, copy, follower, ALONE);
    const [backfilled] = await hot.publish([item('b', 2)], 'backfill');
    expect(backfilled?.scoredAt).to.equal(at(2));
    notices.onNotice = () => feed.raiseHead(at(12), NOON);
    copy.noteHead(at(12));
    const [published] = await hot.publish([item('c', 3)], 'live');
    expect(published?.scoredAt).to.equal(at(13));
    expect(feed.page(EVERYTHING).items.map(({ id }) => id)).to.deep.equal(['c', 'b', 'a']);
  });
});
