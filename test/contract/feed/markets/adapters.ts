import { MemoryFeedHistory } from '../../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryFeedStore } from '../../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryMarkets } from '../../../../src/adapters/memory/feed/memory-markets.js';
import { PostgresMarketDirectory } from '../../../../src/adapters/postgres/feed/markets/postgres-market-directory.js';
import { PostgresMarketProjection } from '../../../../src/adapters/postgres/feed/markets/postgres-market-projection.js';
import { PostgresFeedHistory } from '../../../../src/adapters/postgres/feed/postgres-feed-history.js';
import type { FeedHistory } from '../../../../src/application/ports/feed/feed-history.js';
import type { FeedStore } from '../../../../src/application/ports/feed/feed-store.js';
import type { MarketDirectory } from '../../../../src/application/ports/feed/market-directory.js';
import type { MarketProjection } from '../../../../src/application/ports/feed/market-projection.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { type Adapters, around, guard, inMemory, inPostgres } from '../../opening.js';

/** A feed with the directory of its markets, and what writes the directory. */
export type ProjectedFeed = {
  readonly directory: MarketDirectory;
  readonly projection: MarketProjection;
  readonly feed: FeedStore;
  readonly history: FeedHistory;
};

const projectedInMemory = inMemory<ProjectedFeed>(() => {
  const [feed, markets] = [new MemoryFeedStore(), new MemoryMarkets()];
  return { feed, history: new MemoryFeedHistory(feed), directory: markets, projection: markets };
});

const projectedInPostgres = inPostgres<ProjectedFeed>((db) => ({
  feed: postgresFeed(db),
  history: new PostgresFeedHistory(db),
  directory: new PostgresMarketDirectory(db),
  projection: new PostgresMarketProjection(db),
}));

export const marketDirectories: Adapters<ProjectedFeed, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: projectedInMemory,
  Postgres: projectedInPostgres,
  'memory, guarded': around(projectedInMemory, (projected) => ({
    ...projected,
    directory: guard(projected.directory, 'find'),
    projection: guard(projected.projection, 'apply'),
  })),
};
