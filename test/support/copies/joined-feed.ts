import type { Knex } from 'knex';
import { copiedWriter } from '../../../src/adapters/caching/feed/copied-writer.js';
import type { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { hotPages } from '../../../src/adapters/caching/feed/hot-pages.js';
import { readPageOf } from '../../../src/adapters/postgres/feed/feed-queries.js';
import { readFilteredPageOf } from '../../../src/adapters/postgres/feed/filtered-pages.js';
import { PostgresFeedStore } from '../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { separatePages } from '../../../src/adapters/postgres/feed/separate-pages.js';
import type {
  FeedHead,
  FeedItems,
  FeedPages,
  FeedStore,
  FeedWriter,
} from '../../../src/application/ports/feed/feed-store.js';

/** A whole feed from its ports. */
export const joinedFeed = (store: FeedItems & FeedHead, pages: FeedPages, writer: FeedWriter): FeedStore => ({
  find: (ids) => store.find(ids),
  raiseHead: (seen, now) => store.raiseHead(seen, now),
  page: (range, reader) => pages.page(range, reader),
  publish: (items, mode) => writer.publish(items, mode),
  retract: (id) => writer.retract(id),
  purge: (id, order) => writer.purge(id, order),
});

/** A feed in Postgres, as the service reads it: pages with a filter by terms separately. */
export function postgresFeed(db: Knex): FeedStore {
  const store = new PostgresFeedStore(db);
  const pages = separatePages(
    { page: (range) => readPageOf(db, range) },
    { page: (range) => readFilteredPageOf(db, range) },
  );
  return joinedFeed(store, pages, store);
}

/** The feed of an instance with a copy. */
export const hotFeed = (
  store: FeedStore,
  copy: FeedCopy,
  follower: Parameters<typeof hotPages>[2],
  surroundings: Parameters<typeof hotPages>[3],
): FeedStore =>
  joinedFeed(store, hotPages(store, copy, follower, surroundings), copiedWriter(store, copy, follower));
