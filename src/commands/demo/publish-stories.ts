import type { Parts } from '../../composition/compose.js';
import { isRefusal } from '../../domain/refusal.js';
import { StoryFeed } from './stories/story-feed.js';

export const NEW_ITEM_EVERY_MS = 5_000;

/**
 * Publishes the backlog of the stories. The returned function starts to publish the rest live, and returns a function
 * that stops this.
 */
export async function publishStories(
  { clock, publishNews, feed, log }: Pick<Parts, 'clock' | 'publishNews' | 'feed' | 'log'>,
  otherLanguages: boolean,
): Promise<() => () => void> {
  const stories = new StoryFeed({ otherLanguages });
  for (const answer of await publishNews(stories.backlog(clock()), 'backfill')) {
    if (isRefusal(answer)) throw new Error(`a story is not valid: ${JSON.stringify(answer.faults)}`);
  }
  const takeStep = async () => {
    const step = stories.next(clock());
    if (step.kind === 'retract') await feed.retract(step.id);
    else await publishNews([step.publication], 'live');
  };
  return () => {
    const timer = setInterval(() => {
      takeStep().catch((error: unknown) => log.error({ error }, 'cannot publish the next story'));
    }, NEW_ITEM_EVERY_MS);
    return () => clearInterval(timer);
  };
}
