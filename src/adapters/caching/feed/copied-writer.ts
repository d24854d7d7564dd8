import type { FeedWriter, PublishedItem } from '../../../application/ports/feed/feed-store.js';
import { unlessUnavailable } from '../../../application/unavailable.js';
import { latest, MICROSECOND, type Moment, plus } from '../../../domain/moment.js';
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
      if (mode !== 'live' || seen === null || !published.some((item) => isBelow(item, seen)))
        return published;
      // A later time than the stored one makes it a change again (D11).
      const again = items.filter((_, i) => published[i]?.outcome === 'accepted');
      const above = plus(seen, MICROSECOND);
      const later = again.map((item) => ({
        ...item,
        scoredAt: latest(item.scoredAt, above),
        isScoredNow: false,
      }));
      const raised = await updatingCopy(writer.publish(later, mode));
      const answers = raised.values();
      return published.map((item) => (item.outcome === 'accepted' ? (answers.next().value ?? item) : item));
    },
    retract: (id) => updatingCopy(writer.retract(id)),
    purge: (id, order) => updatingCopy(writer.purge(id, order)),
  };
}

/** An item that was accepted now has a place above every head, unless the store had returned to an older state. */
const isBelow = ({ outcome, scoredAt }: PublishedItem, head: Moment): boolean =>
  outcome === 'accepted' && scoredAt <= head;
