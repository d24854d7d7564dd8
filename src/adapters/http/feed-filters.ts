import type { Context } from './state.js';

/** The names of the filters that an answer has honoured: an earlier version ignores those that it does not know (D65). */
export const FEED_FILTERS = 'Feed-Filters';

export function setFilters(ctx: Context, names: readonly string[]): void {
  if (names.length > 0) ctx.set(FEED_FILTERS, names.join(', '));
}
