import { type FeedItem, type PublicationInput, readPublication } from '../../domain/feed/feed-item.js';
import type { Moment } from '../../domain/moment.js';
import { isRefusal } from '../../domain/refusal.js';
import { GEOPOLITICS } from './stories/politics/geopolitics.js';
import type { Story } from './story.js';
import { StoryFeed } from './story-feed/story-feed.js';

/** The story that the front page and the documents show. It is the newest story when a demo starts. */
export const FRONT_PAGE_STORY: Story = GEOPOLITICS.agreement;

/** This story as a publisher sends it, scored shortly before `now`. */
export function frontPageInput(now: Moment): PublicationInput {
  const input = new StoryFeed().backlog(now).find(({ news_event }) => news_event.id === FRONT_PAGE_STORY.id);
  if (input === undefined) throw new Error(`${FRONT_PAGE_STORY.id} is not in the backlog`);
  return input;
}

/** The feed item of this story as the API returns it. */
export function frontPageItem(now: Moment): FeedItem {
  const publication = readPublication(frontPageInput(now), now);
  if (isRefusal(publication)) throw new Error(`${FRONT_PAGE_STORY.id} is not a valid item`);
  return publication.item;
}
