import type { PublicationInput } from '../../../domain/feed/feed-item.js';
import { MINUTE, type Moment, plus } from '../../../domain/moment.js';
import { SeededRandom } from '../seeded-random.js';
import type { StoryMarket } from '../story.js';
import { type CoveredMarket, priceUpdate } from './price-update.js';
import { type StoryStep, storyOrder } from './story-order.js';
import { StoryPrices } from './story-prices.js';
import { storyPublication } from './story-publication.js';

/** The average interval between the stories of the backlog. All of them are less than a day old. */
const SPACING = 48 * MINUTE;

/** What to publish or retract next. */
export type FeedStep =
  | { readonly kind: 'publish'; readonly publication: PublicationInput }
  | { readonly kind: 'retract'; readonly id: string };

/**
 * The hand-written stories in their order: a backlog, then one step after the other, without end. After the last story,
 * each step is a price update of the next market that is still open.
 */
export class StoryFeed {
  readonly #prices = new StoryPrices();
  readonly #backlog: readonly StoryStep[];
  readonly #live: StoryStep[];
  readonly #covered = new Map<string, CoveredMarket>();
  #updates = 0;

  constructor({ otherLanguages = false }: { readonly otherLanguages?: boolean } = {}) {
    const { backlog, live } = storyOrder(otherLanguages);
    this.#backlog = backlog;
    this.#live = [...live];
  }

  /** The stories before the start, oldest first, scored at intervals before `newest`. */
  backlog(newest: Moment): readonly PublicationInput[] {
    return this.#backlog.flatMap((step, i) => {
      const jitter = SeededRandom.of(step.story.id).whole(MINUTE, SPACING / 2);
      const taken = this.#take(step, plus(newest, -(this.#backlog.length - 1 - i) * SPACING - jitter));
      return taken.kind === 'publish' ? [taken.publication] : [];
    });
  }

  /** The next step after the backlog, at this time. */
  next(at: Moment): FeedStep {
    const step = this.#live.shift();
    if (step !== undefined) return this.#take(step, at);
    this.#updates += 1;
    return {
      kind: 'publish',
      publication: priceUpdate(this.#updates, this.#nextMarket(), this.#prices, at),
    };
  }

  #take({ kind, story }: StoryStep, at: Moment): FeedStep {
    if (kind === 'retract') {
      this.#prices.retract(story.id);
      return { kind, id: story.id };
    }
    for (const { market } of story.markets) this.#covered.set(market.slug, { market, latest: story });
    return { kind, publication: storyPublication(story, this.#prices, at) };
  }

  /** The open markets in turn. A decided market gets one last update, because nobody trades it any more. */
  #nextMarket(): CoveredMarket {
    const isOpen = ({ market }: { readonly market: StoryMarket }) => !this.#prices.isClosed(market);
    const open = [...this.#covered.values()].filter(isOpen);
    const next = open[(this.#updates - 1) % open.length];
    if (next === undefined) throw new Error('every market of the stories is closed');
    return next;
  }
}
