import { ask } from './calls.js';

/** An item as it was received. */
export type PageItem = { readonly id: string; readonly text: string };

/** `head` and `position` of the first page. */
export type Pages = {
  readonly items: readonly PageItem[];
  readonly head: string;
  readonly position: string;
  /** The ids that occur on more than one page. */
  readonly repeated: readonly string[];
  /** How long the answer with the first page took. */
  readonly firstMs: number;
};

export type Refused = { readonly status: number; readonly text: string };

/** The status is 0 without an answer. */
export const isRefused = (read: Pages | Refused): read is Refused => 'status' in read;

/** Whether a client must expect this answer during faults: none, or one that says that a server is unavailable. */
export const isOutage = ({ status }: Refused): boolean => status === 0 || status === 503;

type Body = {
  readonly items: readonly { readonly news_event: { readonly id: string } }[];
  readonly next_cursor: string | null;
};

/** Reads all pages. `urlOf` names the instance for each of them. */
export async function readPages(
  urlOf: (page: number) => string,
  key: string,
  limit: number,
  since: string | null = null,
): Promise<Pages | Refused> {
  const found = new Map<string, PageItem>();
  const repeated: string[] = [];
  const query = new URLSearchParams({ limit: String(limit), ...(since !== null && { since }) });
  let first: Pick<Pages, 'head' | 'position' | 'firstMs'> | null = null;
  const from = performance.now();
  for (let page = 0; ; page += 1) {
    const reply = await ask(`${urlOf(page)}/pm/v2/news?${query}`, { headers: { 'X-API-Key': key } });
    if (reply?.status !== 200) return { status: reply?.status ?? 0, text: reply?.text ?? '' };
    const { items, next_cursor } = reply.json as Body;
    for (const item of items) {
      const { id } = item.news_event;
      if (found.has(id)) repeated.push(id);
      found.set(id, { id, text: JSON.stringify(item) });
    }
    first ??= {
      head: reply.headers['feed-head'] ?? '',
      position: reply.headers['feed-position'] ?? '',
      firstMs: performance.now() - from,
    };
    if (next_cursor === null) return { items: [...found.values()], repeated, ...first };
    query.set('cursor', next_cursor);
  }
}

export const headlineOf = (text: string): string =>
  (JSON.parse(text) as { readonly news_event: { readonly headline: string } }).news_event.headline;
