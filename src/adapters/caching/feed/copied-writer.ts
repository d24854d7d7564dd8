import type { FeedWriter } from '../../../application/ports/feed/feed-store.js';
import { unlessUnavailable } from '../../../application/unavailable.js';
import type { ChangeFollower } from '../change-follower.js';
import type { FeedCopy } from './feed-copy.js';

/**
 * A change through this instance is in the copy of this instance before the call returns, unless the store becomes
 * unavailable after the write. An item that was published below a head that this process has seen is published again: the
 * store had returned to an older state, and its head is raised now (D45).
 */
export function copiedWriter(
  writer: FeedWriter,
  copy: Pick<FeedCopy, 'updated' | 'greatestHead'>,
  follower: Pick<ChangeFollower, 'readNow'>,
): FeedWriter {
  const updateCopy = async () => {
    await follower.readNow();
    await copy.updated();
  };
  const updatingCopy = async <Answer>(change: Promise<Answer>): Promise<Answer> => {
    const answer = await change;
    await updateCopy().catch(unlessUnavailable);
    return answer;
  };
  return {
    publish: async (items, mode) => {
      const seen = copy.greatestHead;
      const published = await updatingCopy(writer.publish(items, mode));
      const isBelow = seen !== null && published.some(({ scoredAt }) => scoredAt <= seen);
      return mode === 'live' && isBelow ? updatingCopy(writer.publish(items, mode)) : published;
    },
    retract: (id) => updatingCopy(writer.retract(id)),
    purge: (id, order) => updatingCopy(writer.purge(id, order)),
  };
}
