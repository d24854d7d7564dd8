import type { Moment } from '../moment.js';

export type Scored = { readonly scoredAt: Moment };

/** A page, newest item first. `nextCursor` is the time of the last item if older items match, else null (D8). */
export type FeedPage<Item> = { readonly items: readonly Item[]; readonly nextCursor: Moment | null };

/** The number of items to read: one more than the page has, so that `paginate` knows whether older items match. */
export const readCountFor = (limit: number): number => limit + 1;

export function paginate<Item extends Scored>(found: readonly Item[], limit: number): FeedPage<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? last.scoredAt : null };
}
