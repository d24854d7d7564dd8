import type { Reason } from '../../domain/accounts/reason.js';
import type { FeedItem, PublicationInput } from '../../domain/feed/feed-item.js';
import { NO_TERMS } from '../../domain/feed/filters/item-terms.js';
import { type Difference, versionDifferences } from '../../domain/feed/history/version-differences.js';
import { type ItemAction, whyNoCorrection } from '../../domain/feed/item-order.js';
import type { Moment } from '../../domain/moment.js';
import { type Fault, isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';
import type { FeedPages, FeedWriter, ListedItem } from '../ports/feed/feed-store.js';
import type { ItemOrders } from '../ports/feed/item-orders.js';
import type { PublishNews } from './publish-news.js';

/** Who changes an item, and why. */
export type OrderedBy = { readonly actor: string; readonly reason: Reason };

/** A valid correction, with what it changes. `seen`: the `scored_at` of the version that it corrects. */
export type Correction = {
  readonly input: PublicationInput;
  readonly differences: readonly Difference[];
  readonly seen: Moment;
};

type Parts = {
  readonly feed: FeedPages & Pick<FeedWriter, 'retract'>;
  readonly publishNews: PublishNews;
  readonly itemOrders: ItemOrders;
  readonly clock: Clock;
  /** Checks the form of a publication. */
  readonly publicationFaults: (json: unknown) => readonly Fault[];
  readonly noteRetraction: () => void;
};

/**
 * Retracts and corrects items for operators. The order is stored before it is carried out: no change is without its reason, and the
 * change log has what became of the order (D127).
 */
export class ChangeItem {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The item in the feed; null if there is none. */
  async find(id: string): Promise<ListedItem | null> {
    const { items } = await this.#parts.feed.page({ ...ONE_ITEM, newsId: id });
    return items[0] ?? null;
  }

  /** Refuses `not_found`. */
  async retract(id: string, by: OrderedBy): Promise<Refusal<'not_found'> | { readonly retracted: true }> {
    if ((await this.find(id)) === null) return UNKNOWN;
    await this.#note(id, 'retract', by);
    if (!(await this.#parts.feed.retract(id))) return UNKNOWN;
    this.#parts.noteRetraction();
    return { retracted: true };
  }

  /** What a correction would change, without changing it. Refuses what the publication would be refused for. */
  async preview(id: string, json: unknown): Promise<Correction | Refusal<'invalid_body' | 'not_found'>> {
    const faults = this.#parts.publicationFaults(json);
    if (faults.length > 0) return { refused: 'invalid_body', faults };
    const input = json as PublicationInput;
    const refusal = whyNoCorrection(id, input, this.#parts.clock());
    if (refusal !== null) return refusal;
    const found = await this.find(id);
    if (found === null) return UNKNOWN;
    const stored = JSON.parse(found.json.toString('utf8')) as FeedItem;
    return { input, differences: versionDifferences(stored, asItem(input, stored)), seen: found.scoredAt };
  }

  /** Publishes a correction of the version `seen`. Refuses `changed_meanwhile` if there is a newer one. */
  async correct(
    id: string,
    json: unknown,
    seen: string,
    by: OrderedBy,
  ): Promise<Refusal<'invalid_body' | 'not_found' | 'changed_meanwhile'> | { readonly isChanged: boolean }> {
    const previewed = await this.preview(id, json);
    if (isRefusal(previewed)) return previewed;
    if (previewed.seen !== seen) return refuse('changed_meanwhile');
    await this.#note(id, 'correct', by);
    const [answer = UNKNOWN] = await this.#parts.publishNews([previewed.input], 'live');
    return isRefusal(answer) ? answer : { isChanged: 'accepted' in answer };
  }

  #note(id: string, action: ItemAction, { actor, reason }: OrderedBy): Promise<void> {
    return this.#parts.itemOrders.add(id, { action, actor, reason, at: this.#parts.clock() });
  }
}

const ONE_ITEM = { before: null, since: null, marketId: null, terms: NO_TERMS, count: 1 } as const;

const UNKNOWN = { refused: 'not_found', what: 'item' } as const;

/** The publication as an item that can be compared: publishing replaces its other times and adds `meta`. */
function asItem({ news_event, related_markets }: PublicationInput, { meta }: FeedItem): FeedItem {
  const withoutTimes = related_markets.map((market) => ({
    ...market,
    sub_markets: market.sub_markets.map(({ scored_at: _, ...sub }) => sub),
  }));
  return { news_event: { ...news_event, endpoint_published_at: '' }, related_markets: withoutTimes, meta };
}
