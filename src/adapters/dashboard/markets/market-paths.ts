import type { MarketName } from '../../../domain/feed/markets/market-facts.js';

export const MARKETS_PATH = '/dashboard/markets';
export const SUGGESTIONS_PATH = '/dashboard/market-suggestions';

/** Which of the items on a page comes first. */
export type ItemOrder = 'newest' | 'oldest';

/** The page of a market. Without a kind, it is that of a sub-market. */
export function marketPath(
  { kind, marketId }: MarketName,
  { cursor = null, order = 'newest' }: { readonly cursor?: string | null; readonly order?: ItemOrder } = {},
): string {
  const query = new URLSearchParams({
    ...(kind === 'main' && { kind }),
    ...(cursor !== null && { cursor }),
    ...(order !== 'newest' && { order }),
  });
  const path = `${MARKETS_PATH}/${encodeURIComponent(marketId)}`;
  return query.size === 0 ? path : `${path}?${query}`;
}

export function marketsPath(text: string, cursor: string | null = null): string {
  const query = new URLSearchParams({ ...(text !== '' && { q: text }), ...(cursor !== null && { cursor }) });
  return query.size === 0 ? MARKETS_PATH : `${MARKETS_PATH}?${query}`;
}
