import { send } from '../service/client.js';
import { filteredText } from '../streams/model-items.js';

/** The JSON of each item, by its id, exactly as it was received. */
export type Items = Map<string, string>;

export type WalkOptions = {
  readonly key: string;
  /** Of the instance that is asked for each page. */
  readonly urlOf: (page: number) => string;
  readonly markets: readonly string[] | null;
  /** Filters by content, as a query. */
  readonly filters: string;
  readonly since?: string | null;
  readonly limit: number;
};

/** `first` and `last`: the positions of the first and the last page. */
export type Walk = { readonly items: Items; readonly first: string; readonly last: string };

type Page = {
  readonly items: readonly { readonly news_event: { readonly id: string } }[];
  readonly next_cursor: string | null;
};

/** Reads all pages as docs/live.md says. Null if an instance does not answer. */
export async function walk(options: WalkOptions): Promise<Walk | null> {
  const { key, urlOf, markets, filters, since = null, limit } = options;
  const items: Items = new Map();
  const positions: string[] = [];
  const query = new URLSearchParams(filters);
  query.set('limit', String(limit));
  // A page has one `market_id` at most. With more of them, a client narrows the items itself.
  const [market, ...others] = markets ?? [];
  if (market !== undefined && others.length === 0) query.set('market_id', market);
  if (since !== null) query.set('since', since);
  for (let page = 0; ; page += 1) {
    const reply = await send(`${urlOf(page)}/pm/v2/news?${query}`, { headers: { 'X-API-Key': key } }).catch(
      () => null,
    );
    if (reply === null || reply.status >= 500) return null;
    if (reply.status !== 200) throw new Error(`a page was refused: ${reply.text}`);
    const { items: found, next_cursor } = reply.json as Page;
    const texts = found.map((item) => JSON.stringify(item));
    expectSame(reply.text, `{"items":[${texts.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}`);
    found.forEach(({ news_event: { id } }, i) => {
      const text = filteredText(texts[i] ?? '', others.length > 0 ? markets : null);
      if (text !== null) items.set(id, text);
    });
    positions.push(reply.headers['feed-position'] ?? '');
    if (next_cursor === null) return { items, first: positions[0] ?? '', last: positions.at(-1) ?? '' };
    query.set('cursor', next_cursor);
  }
}

/** Throws unless the JSON was written like `JSON.stringify` does. Then parsed parts have their text again. */
export function expectSame(text: string, again: string): void {
  if (text !== again) throw new Error(`JSON in another form: ${text}`);
}
