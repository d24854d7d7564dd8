import type { MainMarket, SubMarket } from '../feed/feed-item.js';
import type { SeededRandom } from './seeded-random.js';

/** The smallest price move that counts as momentum, in percentage points. */
const MOVE_MIN = 3;

export const marketUrl = (slug: string): string => `https://tallystone.example/markets/${slug}`;

export const mainMarket = (slug: string, title: string): MainMarket => ({
  market_id: `mk-${slug}`,
  market_url: marketUrl(slug),
  market_title: title,
  outcomes: null,
  news_effect: null,
  market_snapshot: null,
  thin_liquidity: null,
  momentum: null,
});

/** The momentum tag for a price move in percentage points. */
export const momentumOf = (move: number): SubMarket['momentum'] => ({
  passed: Math.abs(move) >= MOVE_MIN,
  pre_move_pp: move,
  criteria: `A move of at least ${MOVE_MIN} percentage points in the 24 hours before scoring`,
  config: 'momentum-24h-v1',
});

export const SNAPSHOT_NOTE =
  'Reference only: the price when the item was scored, before most of the reaction to this news.';

/** A token id of 24 digits. */
export const tokenId = (random: SeededRandom): string =>
  Array.from({ length: 24 }, (_, i) => random.whole(i === 0 ? 1 : 0, 9)).join('');
