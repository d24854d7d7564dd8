import type { FeedWriter, Purge, PurgeOrder } from '../ports/feed/feed-store.js';

/** Purges an item, and notes it (D62). The reason can have personal data, so only the store gets it. */
export const purgeNews = ({
  feed,
  notePurge,
}: {
  readonly feed: Pick<FeedWriter, 'purge'>;
  readonly notePurge: (id: string, actor: string) => void;
}) =>
  async function purgeNews(id: string, order: PurgeOrder): Promise<Purge> {
    const purge = await feed.purge(id, order);
    if (purge === 'purged') notePurge(id, order.actor);
    return purge;
  };

export type PurgeNews = ReturnType<typeof purgeNews>;
