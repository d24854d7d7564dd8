import type { Knex } from 'knex';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import { moduleBefore } from './version-before.js';

/** The feed store of the previous version, with the names of this one. */
type FeedStoreBefore = Pick<FeedStore, 'retract'> & {
  publish(...args: Parameters<FeedStore['publish']>): Promise<unknown>;
};
/** There, `publish` has another name. */
type Module = {
  readonly PostgresFeedStore: new (db: Knex) => { place: FeedStoreBefore['publish'] } & FeedStoreBefore;
};

export async function feedStoreBefore(db: Knex): Promise<FeedStoreBefore> {
  const { PostgresFeedStore } = (await moduleBefore(
    'adapters/postgres/feed/postgres-feed-store.js',
  )) as Module;
  const store = new PostgresFeedStore(db);
  return {
    publish: (items, mode) => store.place(items, mode),
    retract: (id) => store.retract(id),
  };
}
