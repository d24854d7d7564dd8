import type { Knex } from 'knex';
import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { moduleBefore } from './version-before.js';

/** The feed store of the previous version. Publishing has another name there. */
type FeedStoreBefore = {
  place(items: readonly ListedItem[], mode: 'live' | 'backfill'): Promise<unknown>;
  retract(id: string): Promise<boolean>;
};
type Module = { readonly PostgresFeedStore: new (db: Knex) => FeedStoreBefore };

export async function feedStoreBefore(db: Knex): Promise<FeedStoreBefore> {
  const { PostgresFeedStore } = (await moduleBefore(
    'adapters/postgres/feed/postgres-feed-store.js',
  )) as Module;
  return new PostgresFeedStore(db);
}
