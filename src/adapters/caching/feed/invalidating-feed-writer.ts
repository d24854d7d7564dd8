import type { FeedWriter } from '../../../application/ports/feed/feed-store.js';
import type { Invalidations } from '../../../application/ports/invalidations.js';

/** Sends an invalidation of the feed after each stored change (D11). */
export function invalidatingFeedWriter(
  writer: FeedWriter,
  invalidations: Pick<Invalidations, 'send'>,
): FeedWriter {
  const announce = () => invalidations.send({ changed: 'feed' });
  return {
    publish: async (items, mode) => {
      const published = await writer.publish(items, mode);
      if (published.some(({ outcome }) => outcome === 'accepted')) await announce();
      return published;
    },
    retract: async (id) => {
      const known = await writer.retract(id);
      if (known) await announce();
      return known;
    },
    purge: async (id, order) => {
      const purge = await writer.purge(id, order);
      if (purge === 'purged') await announce();
      return purge;
    },
  };
}
