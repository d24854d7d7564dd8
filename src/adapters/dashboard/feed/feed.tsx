import type { ReadFeed } from '../../../application/feed/read-feed.js';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import { NO_TERMS } from '../../../domain/feed/filters/item-terms.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { type Moment, parseMoment } from '../../../domain/moment.js';
import { type CountedPageParts, countedPage } from '../limits/counted-page.js';
import { answerPage } from '../page/answer.js';
import type { PageRoute } from '../page-router.js';
import { type Context, parameter } from '../state.js';
import type { HolderVisit, Visits } from '../visit.js';
import { FeedView } from './feed-page.js';

const PATH = '/dashboard/feed';
/** Items on a page. Few, so that a page stays small. */
const ITEMS = 10;
/** Sub-markets on a page, all items together. */
const SUB_MARKETS = 60;

export type FeedParts = CountedPageParts & {
  readonly visits: Visits<HolderVisit>;
  readonly readFeed: ReadFeed;
  readonly publicUrl: () => string;
};

/** The newest items as a page, within the state and the limits of the subscription. */
export function feedRoutes(parts: FeedParts): readonly PageRoute[] {
  const show = countedPage(parts, PATH, (ctx, visit, limits) => answerFeed(ctx, visit, parts, limits));
  return [{ path: PATH, GET: parts.visits.page(show) }];
}

async function answerFeed(
  ctx: Context,
  visit: HolderVisit,
  { readFeed, publicUrl, demo }: FeedParts,
  limits: readonly Limit[],
): Promise<void> {
  const marketId = parameter(ctx, 'market')?.trim() || null;
  const asked = parameter(ctx, 'cursor');
  const cursor = asked === null ? null : (parseMoment(asked) ?? null);
  const warning =
    asked !== null && cursor === null
      ? 'The cursor in the address is not valid. You see the newest items.'
      : null;
  const { page, bytesOf } = await readFeed({
    limit: ITEMS,
    cursor,
    since: null,
    newsId: null,
    terms: NO_TERMS,
    marketId,
  });
  const read = page.items.map((item) => JSON.parse(bytesOf(item).toString('utf8')) as FeedItem);
  const items = read.slice(0, countThatFits(read));
  const nextCursor = items.length < read.length ? scoredAtOf(page, items.length - 1) : page.nextCursor;
  const query = new URLSearchParams({
    limit: String(ITEMS),
    ...(marketId !== null && { market_id: marketId }),
    ...(cursor !== null && { cursor }),
  });
  const curl = `curl -H "Authorization: Bearer $ODDSWIRE_KEY" '${publicUrl()}/pm/v2/news?${query}'`;
  const { viewer, now } = visit;
  const props = { viewer, now, items, limits, marketId, nextCursor, curl, warning, demo: demo(PATH, visit) };
  answerPage(ctx, <FeedView {...props} />);
}

/** The number of items that fit on a page: at least one. */
function countThatFits(items: readonly FeedItem[]): number {
  let subMarkets = 0;
  const beyond = items.findIndex(({ related_markets }, i) => {
    subMarkets += related_markets.reduce((sum, { sub_markets }) => sum + sub_markets.length, 0);
    return i > 0 && subMarkets > SUB_MARKETS;
  });
  return beyond === -1 ? items.length : beyond;
}

const scoredAtOf = ({ items }: { readonly items: readonly { readonly scoredAt: Moment }[] }, i: number) =>
  items[i]?.scoredAt ?? null;
