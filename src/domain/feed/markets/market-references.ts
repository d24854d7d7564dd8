import type { StoredItem } from '../stored-item.js';
import type { MarketFacts, MarketKind, MarketName } from './market-facts.js';
import { type MarketUrl, readMarketUrl } from './market-url.js';

declare const key: unique symbol;

/** The normal form of a reference, with what it names: `id:pm-1`, `token:123`, `url:…`, `slug:…` or `page:…`. */
export type ReferenceKey = string & { readonly [key]: true };

/** Longer keys are left out: an index of Postgres has at most 2 704 bytes in an entry. */
const KEY_LENGTH_MAX = 600;
/** Characters that no id has, and that some stores cannot store (D116). */
const NOT_STORABLE = /[\p{Cc}\p{Cs}]/u;

type Kind = 'id' | 'token' | 'url' | 'slug' | 'ticker' | 'page';

const keysOf = (...values: readonly (readonly [Kind, string | null])[]): readonly ReferenceKey[] => {
  const keys = values.flatMap(([kind, value]) =>
    value === null || value === '' ? [] : [`${kind}:${value}` as ReferenceKey],
  );
  return [...new Set(keys)].filter((key) => key.length <= KEY_LENGTH_MAX && !NOT_STORABLE.test(key));
};

/**
 * The keys of a reference that a client sends: a market id, a URL, its last path segment, or a token id (D63). A market matches
 * if it has a key of the first list in which any market has one: with the query and the fragment of a URL, then without.
 */
export function referenceKeys(text: string): readonly (readonly ReferenceKey[])[] {
  const [id, token] = [['id', text] as const, ['token', text] as const];
  const url = readMarketUrl(text);
  if (url === null) return [keysOf(id, token, ['slug', text], ['ticker', text.toLowerCase()])];
  const { whole, page } = url;
  const lists = [keysOf(id, token, ['url', whole]), keysOf(['url', page]), keysOf(['page', page])];
  return whole === page ? lists.toSpliced(1, 1) : lists;
}

type Referenced = Pick<MarketFacts, 'marketId' | 'outcomes'>;

/** The keys of a market: a reference with one of them means this market. */
export const keysOfMarket = ({ url, ...market }: MarketFacts): readonly ReferenceKey[] =>
  keysWithUrl(market, readMarketUrl(url));

const keysWithUrl = ({ marketId, outcomes }: Referenced, read: MarketUrl | null): readonly ReferenceKey[] =>
  keysOf(
    ['id', marketId],
    ['token', outcomes?.yes.token_id ?? null],
    ['token', outcomes?.no.token_id ?? null],
    ['url', read?.whole ?? null],
    ['page', read?.page ?? null],
    [read?.isTicker ? 'ticker' : 'slug', read?.slug ?? null],
  );

/** A market of an item, as references find it. */
export type ReferencedMarket = MarketName & {
  /** Null for a main market. */
  readonly mainMarketId: string | null;
  readonly venue: string | null;
  readonly keys: readonly ReferenceKey[];
};

/** The markets of a stored item with their keys, each main market before its sub-markets. Each URL is read once. */
export const marketReferencesOf = ({
  related_markets: markets = [],
}: StoredItem): readonly ReferencedMarket[] =>
  markets.flatMap(({ main_market: main = {}, sub_markets: subs = [] }) => [
    ...referenced({ kind: 'main', marketId: main.market_id }, main.market_url, null, null),
    ...subs.flatMap(({ sub_market_id: marketId, market_url: url, outcomes: stored }) => {
      const [yes, no] = [stored?.yes?.token_id ?? null, stored?.no?.token_id ?? null];
      const outcomes = { yes: { token_id: yes }, no: { token_id: no } };
      return referenced({ kind: 'sub', marketId }, url, outcomes, main.market_id ?? null);
    }),
  ]);

function referenced(
  { kind, marketId }: { readonly kind: MarketKind; readonly marketId: string | undefined },
  url: string | undefined,
  outcomes: Referenced['outcomes'],
  mainMarketId: string | null,
): readonly ReferencedMarket[] {
  if (marketId === undefined) return [];
  const { yes, no } = outcomes ?? {};
  const name = JSON.stringify([kind, marketId, url, yes?.token_id, no?.token_id, mainMarketId]);
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const read = readMarketUrl(url ?? '');
  const keys = keysWithUrl({ marketId, outcomes }, read);
  const markets = [{ kind, marketId, mainMarketId, venue: read?.venue ?? null, keys }];
  if (KNOWN.size >= KNOWN_MAX) KNOWN.clear();
  KNOWN.set(name, markets);
  return markets;
}

/** Most items have markets of earlier items, and reading their URLs would double the time in which the terms of an item are read. */
const KNOWN = new Map<string, readonly ReferencedMarket[]>();
const KNOWN_MAX = 2_000;
