import type { ReadFeed } from '../../../application/feed/read-feed.js';
import type { SearchMarkets } from '../../../application/feed/search-markets.js';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import { NO_TERMS } from '../../../domain/feed/filters/item-terms.js';
import { marketCursor, readMarketCursor } from '../../../domain/feed/markets/market-query.js';
import type { MarketRow } from '../../../domain/feed/markets/market-row.js';
import { priceLine } from '../../../domain/feed/markets/price-line.js';
import { whyAccessRefused } from '../../../domain/limits/admission.js';
import { type Moment, parseMoment } from '../../../domain/moment.js';
import { type CountedPageParts, countedPage } from '../limits/counted-page.js';
import { answerPage } from '../page/answer.js';
import { answerError } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { type Context, parameter } from '../state.js';
import type { HolderVisit, Visits } from '../visit.js';
import { MainMarketPage, SubMarketPage } from './market-page.js';
import { MARKETS_PATH, marketPath, marketsPath, SUGGESTIONS_PATH } from './market-paths.js';
import { MarketsPage } from './markets-page.js';

const MARKETS_SHOWN = 50;
/** The items on the page of a market. */
const ITEMS_SHOWN = 20;

export type MarketPageParts = CountedPageParts & {
  readonly visits: Visits<HolderVisit>;
  readonly readFeed: ReadFeed;
  readonly searchMarkets: SearchMarkets;
  readonly publicUrl: () => string;
};

/** The directory of markets as pages (D63). */
export function marketRoutes(parts: MarketPageParts): readonly PageRoute[] {
  const { visits } = parts;
  const counted = (show: typeof answerMarkets) =>
    visits.page(countedPage(parts, MARKETS_PATH, (ctx, visit) => show(ctx, visit, parts)));
  return [
    { path: MARKETS_PATH, GET: counted(answerMarkets) },
    { path: `${MARKETS_PATH}/:id`, GET: counted(answerMarket) },
    { path: SUGGESTIONS_PATH, GET: visits.page((ctx, visit) => answerSuggestions(ctx, visit, parts)) },
  ];
}

async function answerMarkets(
  ctx: Context,
  visit: HolderVisit,
  { searchMarkets, demo }: MarketPageParts,
): Promise<void> {
  const text = parameter(ctx, 'q')?.trim() ?? '';
  const after = readMarketCursor('news', parameter(ctx, 'cursor') ?? '');
  const { viewer, account, now } = visit;
  const found = await searchMarkets.find(text, after, MARKETS_SHOWN, account.subscription.id);
  const props = {
    ...{ viewer, text, now, demo: demo(MARKETS_PATH, visit) },
    rows: found.markets.map(({ row }) => row),
    next: found.next === null ? null : marketsPath(found.text, marketCursor('news', found.next)),
  };
  answerPage(ctx, <MarketsPage {...props} />);
}

async function answerMarket(ctx: Context, visit: HolderVisit, parts: MarketPageParts): Promise<void> {
  const kind = parameter(ctx, 'kind') === 'main' ? 'main' : 'sub';
  const reader = visit.account.subscription.id;
  const row = await parts.searchMarkets.one({ kind, marketId: ctx.params['id'] ?? '' }, reader);
  if (row === null) return answerError(ctx, 'not found');
  const common = { viewer: visit.viewer, row, demo: parts.demo(MARKETS_PATH, visit) };
  if (kind === 'main') {
    const { markets, next } = await parts.searchMarkets.subMarkets(row.facts.marketId, MARKETS_SHOWN, reader);
    const subMarkets = markets.map((each) => each.row);
    const shown = { ...common, subMarkets, hasMore: next !== null, now: visit.now };
    return answerPage(ctx, <MainMarketPage {...shown} />);
  }
  const asked = parameter(ctx, 'cursor');
  const cursor = asked === null ? null : (parseMoment(asked) ?? null);
  const news = await newsOf(row, cursor, parts);
  const order = parameter(ctx, 'order') === 'oldest' ? 'oldest' : 'newest';
  const { mainMarketId: main } = row.facts;
  const mainRow =
    main === null ? null : await parts.searchMarkets.one({ kind: 'main', marketId: main }, reader);
  const shown = { ...common, ...news, cursor, order, now: visit.now, url: parts.publicUrl() } as const;
  answerPage(ctx, <SubMarketPage {...shown} main={mainRow} />);
}

/** The items of a sub-market after a cursor, newest first, and its price at each of them. */
async function newsOf(
  { facts: { marketId } }: MarketRow,
  cursor: Moment | null,
  { readFeed }: MarketPageParts,
) {
  const query = { limit: ITEMS_SHOWN, cursor, since: null, newsId: null, terms: NO_TERMS, marketId };
  const { page, bytesOf } = await readFeed(query);
  const items = page.items.map((each) => ({
    scoredAt: each.scoredAt,
    item: JSON.parse(bytesOf(each).toString('utf8')) as FeedItem,
  }));
  return { items, points: priceLine(marketId, items), nextCursor: page.nextCursor };
}

/** Suggestions for a text that is being typed, as JSON. They take no permit, and only readers who are served get them. */
async function answerSuggestions(
  ctx: Context,
  { account, now }: HolderVisit,
  { searchMarkets }: MarketPageParts,
): Promise<void> {
  const isServed = whyAccessRefused(account.subscription, now) === null;
  const text = parameter(ctx, 'q') ?? '';
  const rows = isServed ? await searchMarkets.suggest(text, account.subscription.id) : [];
  ctx.set('Cache-Control', 'no-store');
  ctx.body = rows.map(({ facts }) => ({ title: facts.title, path: marketPath(facts) }));
}
