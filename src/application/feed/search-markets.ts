import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { QUERY_WORDS_MAX } from '../../domain/feed/filters/filter-values.js';
import { searchWords, wordsOfQuestion } from '../../domain/feed/filters/question-words.js';
import { type MarketName, marketKey } from '../../domain/feed/markets/market-facts.js';
import { MARKETS_LIMIT, type MarketPlace } from '../../domain/feed/markets/market-query.js';
import type { MarketRow } from '../../domain/feed/markets/market-row.js';
import { isSuggested, typedMarketOf } from '../../domain/feed/markets/typed-market.js';
import type { MarketsPage, MarketsQuery, ReadMarkets } from './read-markets.js';

/** Suggestions, and the words of a question that count, are chosen from this number of markets, those with the newest items. */
const COMPARED = 200;
const SUGGESTIONS_MAX = 8;

const ALL: Omit<MarketsQuery, 'limit'> = {
  references: [],
  queryWords: [],
  venue: null,
  kind: null,
  mainMarketId: null,
  sort: 'news',
  after: null,
};

/** A page of markets, and the text with which the next page is asked for: of a question, the words that counted. */
export type MarketsFound = MarketsPage & { readonly text: string };

/** Finds markets by what a person types: a link, an id, a slug, a token, or words of the title. */
export class SearchMarkets {
  readonly #read: ReadMarkets;

  constructor({ readMarkets }: { readonly readMarkets: ReadMarkets }) {
    this.#read = readMarkets;
  }

  /** The markets that `text` means as a reference; if there is none, those with its words, or those of its question, in the title. */
  async find(
    text: string,
    after: MarketPlace | null,
    limit: number,
    reader: SubscriptionId,
  ): Promise<MarketsFound> {
    if (text !== '') {
      const meant = await this.#read({ ...ALL, references: [text], after, limit }, reader);
      if (meant.unknown.length === 0) return { ...meant, text };
    }
    const queryWords = await this.#queryWords(text, reader);
    if (text !== '' && queryWords.length === 0) return { markets: [], unknown: [text], next: null, text };
    const page = await this.#read({ ...ALL, queryWords, after, limit }, reader);
    return { ...page, text: queryWords.join(' ') };
  }

  /** Of more words than the directory takes, those count that tell the markets with the newest items apart. */
  async #queryWords(text: string, reader: SubscriptionId): Promise<readonly string[]> {
    const queryWords = wordsOfQuestion(text);
    if (queryWords.length <= QUERY_WORDS_MAX) return queryWords;
    const { markets } = await this.#read({ ...ALL, limit: COMPARED }, reader);
    return searchWords(
      queryWords,
      markets.map(({ row }) => row.facts.title),
    );
  }

  /** Sub-markets for a text whose last word may not be complete, newest items first. */
  async suggest(text: string, reader: SubscriptionId): Promise<readonly MarketRow[]> {
    const typed = typedMarketOf(text);
    if (typed === null) return [];
    const query = { ...ALL, kind: 'sub', queryWords: typed.queryWords, limit: COMPARED } as const;
    const { markets } = await this.#read(query, reader);
    const rows = markets.map(({ row }) => row).filter((row) => isSuggested(typed, row));
    return rows.slice(0, SUGGESTIONS_MAX);
  }

  /** The market of this name; null if no item of the feed has it. */
  async one(name: MarketName, reader: SubscriptionId): Promise<MarketRow | null> {
    const { markets } = await this.#read(
      { ...ALL, kind: name.kind, references: [name.marketId], limit: MARKETS_LIMIT.maximum },
      reader,
    );
    return markets.find(({ row }) => marketKey(row.facts) === marketKey(name))?.row ?? null;
  }

  /** The sub-markets of a main market, newest items first. */
  async subMarkets(mainMarketId: string, limit: number, reader: SubscriptionId): Promise<MarketsPage> {
    return this.#read({ ...ALL, kind: 'sub', mainMarketId, limit }, reader);
  }
}
