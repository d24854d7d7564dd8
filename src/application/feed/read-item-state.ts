import type { Position } from '../../domain/feed/position.js';
import type { Moment } from '../../domain/moment.js';
import type { Refusal } from '../../domain/refusal.js';
import type { FeedPast, HistoryChange } from '../ports/feed/feed-past.js';
import type { FeedItems, NumberedItem } from '../ports/feed/feed-store.js';

/** The last change of an item. Each member is null if the history does not have the change: it is older. */
type LastChange = {
  readonly revision: number | null;
  readonly position: Position | null;
  readonly knownAt: Moment | null;
};

/** An item as the feed has it now, or how it left the feed (D141). `json`: the item as pages have it. */
export type ItemState = LastChange & { readonly id: string } & (
    | { readonly state: 'published'; readonly scoredAt: Moment; readonly json: Buffer }
    | { readonly state: 'retracted' | 'purged'; readonly scoredAt: Moment | null }
  );

/** Reads the state of an item from the store. Refuses an id that neither the feed nor its history has. */
export const readItemState = ({
  feedItems,
  feedPast,
}: {
  readonly feedItems: FeedItems;
  readonly feedPast: FeedPast;
}) =>
  async function readItemState(id: string): Promise<ItemState | Refusal<'not_found'>> {
    const [item] = (await feedItems.find([id])).items;
    const last = await feedPast.last(id);
    if (item !== undefined) return publishedState(item, last);
    if (last === null) return { refused: 'not_found', what: 'item' };
    const { revision, position, knownAt } = last;
    const change = { id, revision, position, knownAt };
    if (!('item' in last)) return { ...change, state: last.kind, scoredAt: last.scoredAt };
    // It was published between the two reads.
    return typeof last.item === 'string'
      ? { refused: 'not_found', what: 'item' }
      : { ...change, state: 'published', scoredAt: last.scoredAt, json: last.item.json };
  };

export type ReadItemState = ReturnType<typeof readItemState>;

/** A later change than that of the item was made between the two reads, and is not told of this version. */
function publishedState({ id, scoredAt, json, n }: NumberedItem, last: HistoryChange | null): ItemState {
  const own = last !== null && (n === 0 || last.position.n === n) ? last : null;
  const { revision = null, position = null, knownAt = null } = own ?? {};
  return { id, state: 'published', revision, position, knownAt, scoredAt, json };
}
