import type { Moment } from '../moment.js';

export type Scored = { readonly scoredAt: Moment };

/** Newest first; `nextCursor` is the last item's time while an older item matches (D8). */
export type FeedPage<Item> = { readonly items: readonly Item[]; readonly nextCursor: Moment | null };

/** How many items to look for, so that `paginate` can tell whether there are more. */
export const soughtFor = (limit: number): number => limit + 1;

export function paginate<Item extends Scored>(found: readonly Item[], limit: number): FeedPage<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? last.scoredAt : null };
}
