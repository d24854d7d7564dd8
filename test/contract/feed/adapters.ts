import { hotFeedStore } from '../../../src/adapters/caching/hot-feed-store.js';
import { invalidatingFeedStore } from '../../../src/adapters/caching/invalidating-feed-store.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { readStateOf } from '../../../src/adapters/postgres/feed/feed-queries.js';
import { PostgresFeedStore } from '../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { replicatedFeedStore } from '../../../src/adapters/postgres/feed/replicated-feed-store.js';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import { type FollowedFeed, followedFeed } from '../../support/copies/followed-feed.js';
import { freshSchema } from '../../support/servers/stores.js';
import { type Adapters, around, guard, inMemory, inPostgres, type Open, throttle } from '../opening.js';
import { LaggingReplica } from './lagging-replica.js';

const memory = inMemory<FeedStore>(() => new MemoryFeedStore());

/** Pages below a cursor are read from a lagging replica. */
const replicated: Open<FeedStore> = async () => {
  const schema = await freshSchema();
  const replicas: LaggingReplica[] = [];
  const instance = async () => {
    const db = schema.connect();
    const replica = new LaggingReplica(schema.connect(1));
    replicas.push(replica);
    const report = (fault: unknown) => {
      throw fault;
    };
    return replicatedFeedStore(new PostgresFeedStore(db), () => readStateOf(db), [replica.page], report);
  };
  const close = async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await schema.close();
  };
  return { freshness: 'immediate', instance, close };
};

/** Few, so that most tests read more items than the copy has. */
const HOT_ITEMS = 3;

/** Each instance serves the newest items from its own copy, which follows the feed on every invalidation. */
const hot: Open<FeedStore> = async () => {
  const stored = new MemoryFeedStore();
  const invalidations = new MemoryInvalidations();
  const followed: FollowedFeed[] = [];
  const instance = async () => {
    const one = await followedFeed(stored, HOT_ITEMS);
    followed.push(one);
    invalidations.listen(() => one.follower.readSoon());
    return hotFeedStore(invalidatingFeedStore(stored, invalidations), one.copy, one.follower);
  };
  const caughtUp = async () => {
    await Promise.all(followed.map((one) => one.caughtUp()));
  };
  const close = async () => {
    await Promise.all(followed.map(({ follower }) => follower.close()));
  };
  return { freshness: 'eventual', caughtUp, instance, close };
};

export const feedStores: Adapters<
  FeedStore,
  | 'memory'
  | 'Postgres'
  | 'Postgres, replicated'
  | 'memory, hot'
  | 'memory, announcing'
  | 'memory, guarded'
  | 'memory, throttled'
> = {
  memory,
  Postgres: inPostgres((db) => new PostgresFeedStore(db)),
  'Postgres, replicated': replicated,
  'memory, hot': hot,
  'memory, announcing': around(memory, (feed) => invalidatingFeedStore(feed, new MemoryInvalidations())),
  'memory, guarded': around(memory, (feed) => guard(feed, 'page')),
  'memory, throttled': around(memory, throttle),
};
