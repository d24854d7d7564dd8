import type { Moment } from '../moment.js';
import type { Fault } from '../refusal.js';
import type { PublishMode } from './assign-scored-at.js';

/** An item as it is in the feed, or as a publication brings it. */
type Version = { readonly scoredAt: Moment; readonly json: Buffer };

/** An item to publish. `isScoredNow`: the publication named no `scored_at`, so `scoredAt` is the time of the call. */
export type OfferedItem = Version & {
  readonly id: string;
  readonly mode: PublishMode;
  readonly isScoredNow?: boolean;
};

/**
 * What becomes of a publication (D11).
 *
 * - `accepted`: it is a change of the feed.
 * - `unchanged`: the feed has this item already. A publisher who got no answer can repeat a publication.
 * - `not_backfill`: the id is in the feed. A backfill cannot correct an item, because readers who poll would not see it.
 */
export type PublicationOutcome = 'accepted' | 'unchanged' | 'not_backfill';

/** A publication and its outcome. An accepted item has the `endpoint_published_at` that it keeps (D41). */
export type JudgedItem<Item extends OfferedItem> = {
  readonly outcome: PublicationOutcome;
  readonly item: Item;
};

/** Judges a batch in its order, under the lock of the feed. `stored`: the items that are in the feed under these ids. */
export function judgePublications<Item extends OfferedItem>(
  items: readonly Item[],
  stored: ReadonlyMap<string, Version>,
): readonly JudgedItem<Item>[] {
  const versions = new Map(stored);
  return items.map((item) => {
    const judged = judge(item, versions.get(item.id));
    if (judged.outcome === 'accepted') versions.set(item.id, judged.item);
    return judged;
  });
}

function judge<Item extends OfferedItem>(item: Item, stored: Version | undefined): JudgedItem<Item> {
  if (stored === undefined) return { outcome: 'accepted', item };
  const json = withPublishingTimeOf(item.json, stored.json);
  const namesLaterTime = item.isScoredNow !== true && item.scoredAt > stored.scoredAt;
  if (!namesLaterTime && json.equals(stored.json)) return { outcome: 'unchanged', item };
  return item.mode === 'backfill'
    ? { outcome: 'not_backfill', item }
    : { outcome: 'accepted', item: { ...item, json } };
}

type PublishingTime = { readonly news_event?: { readonly endpoint_published_at?: unknown } };

/** The item with the `endpoint_published_at` of its older version. Another version of the service may have stored that. */
function withPublishingTimeOf(json: Buffer, older: Buffer): Buffer {
  const endpoint_published_at = parsed(older).news_event?.endpoint_published_at;
  if (typeof endpoint_published_at !== 'string') return json;
  const item = parsed(json);
  return Buffer.from(JSON.stringify({ ...item, news_event: { ...item.news_event, endpoint_published_at } }));
}

const parsed = (json: Buffer) => JSON.parse(json.toString('utf8')) as PublishingTime;

/** The version that is in the feed after each publication. `assigned`: the accepted items with their times, in their order. */
export function versionsAfter<Item extends OfferedItem>(
  judged: readonly JudgedItem<Item>[],
  stored: ReadonlyMap<string, Version>,
  assigned: readonly Version[],
) {
  const versions = new Map(stored);
  const times = assigned.values();
  return judged.map(({ outcome, item }) => {
    const published = outcome === 'accepted' ? times.next().value : undefined;
    if (published !== undefined) versions.set(item.id, published);
    const { scoredAt, json } = versions.get(item.id) ?? item;
    return { outcome, id: item.id, scoredAt, json };
  });
}

export const NOT_BACKFILL: Fault = {
  parameter: '/news_event/id',
  code: 'not_backfill',
  message: 'is in the feed already; send a correction with mode=live, so that readers see it',
};
