import { storyOrder } from '../../../adapters/stories/story-order.js';
import type { PublicationInput } from '../../../domain/feed/feed-item.js';
import { FIRST_MOMENT, MINUTE, type Moment, plus } from '../../../domain/moment.js';
import { SeededRandom } from '../../../domain/stories/seeded-random.js';
import type { StoryStep } from '../../../domain/stories/story.js';
import { StoryPrices } from '../../../domain/stories/story-prices.js';
import { storyPublication } from '../../../domain/stories/story-publication.js';
import { stepInRound } from '../../../domain/stories/story-rounds.js';

/** The average interval between the stories of the backlog. All of them are less than a day old. */
const SPACING = 48 * MINUTE;

/** What to publish or retract next. */
export type FeedStep =
  | { readonly kind: 'publish'; readonly publication: PublicationInput }
  | { readonly kind: 'retract'; readonly id: string };

/**
 * The hand-written stories in their order: a backlog, then one step after the other, without end. After the last story, a
 * new round begins with the first one.
 */
export class StoryFeed {
  readonly #order: ReturnType<typeof storyOrder>;
  #round = 1;
  #upcoming: readonly StoryStep[];
  #prices = new StoryPrices();
  /** The source time of the newest story. */
  #newest = FIRST_MOMENT;

  constructor({ otherLanguages = false }: { readonly otherLanguages?: boolean } = {}) {
    this.#order = storyOrder(otherLanguages);
    this.#upcoming = this.#order.live;
  }

  /** The stories before the start, oldest first, scored at intervals before `newest`. */
  backlog(newest: Moment): readonly PublicationInput[] {
    const { backlog } = this.#order;
    return backlog.flatMap((step, i) => {
      const jitter = SeededRandom.of(step.story.id).whole(MINUTE, SPACING / 2);
      const taken = this.#take(step, plus(newest, -(backlog.length - 1 - i) * SPACING - jitter));
      return taken.kind === 'publish' ? [taken.publication] : [];
    });
  }

  /** The next step after the backlog, at this time. */
  next(at: Moment): FeedStep {
    if (this.#upcoming.length === 0) this.#startRound();
    const [step, ...rest] = this.#upcoming;
    if (step === undefined) throw new Error('there are no stories');
    this.#upcoming = rest;
    return this.#take(step, at);
  }

  #startRound(): void {
    this.#round += 1;
    this.#prices = new StoryPrices();
    const { backlog, live } = this.#order;
    this.#upcoming = [...backlog, ...live].map((step) => stepInRound(step, this.#round));
  }

  #take({ kind, story }: StoryStep, at: Moment): FeedStep {
    if (kind === 'retract') {
      this.#prices.retract(story.id);
      return { kind, id: story.id };
    }
    const publication = storyPublication(story, this.#prices, at, this.#newest);
    this.#newest = publication.news_event.source_published_at;
    return { kind, publication };
  }
}
