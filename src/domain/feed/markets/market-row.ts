import type { Moment } from '../../moment.js';
import { wordsOf } from '../filters/text-words.js';
import type { MarketFacts } from './market-facts.js';

/** What an item of the feed says about a market, and the time of the item. */
export type MarketMention = { readonly facts: MarketFacts; readonly scoredAt: Moment };

/** A market as the directory lists it (D63): what its newest item says, and the times and the number of its items. */
export type MarketRow = {
  readonly facts: MarketFacts;
  readonly firstNewsAt: Moment;
  readonly lastNewsAt: Moment;
  readonly newsCount: number;
};

/** The row of a market with these mentions. Null if no item mentions it: then it is not listed. */
export function marketRowOf(mentions: readonly MarketMention[]): MarketRow | null {
  const [first] = mentions;
  if (first === undefined) return null;
  const newest = mentions.reduce((best, each) => (each.scoredAt > best.scoredAt ? each : best), first);
  const oldest = mentions.reduce((best, each) => (each.scoredAt < best.scoredAt ? each : best), first);
  return {
    facts: newest.facts,
    firstNewsAt: oldest.scoredAt,
    lastNewsAt: newest.scoredAt,
    newsCount: mentions.length,
  };
}

/** The most words of a title that count, so that one market cannot fill the index. */
const TITLE_WORDS_MAX = 200;

/** The words of the title, as `q` finds them. */
export const titleWords = ({ title }: MarketFacts): ReadonlySet<string> => wordsOf(title, TITLE_WORDS_MAX);
