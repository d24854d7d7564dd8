import type { FeedReading, ReadFeed } from '../../../application/feed/read-feed.js';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import type { FeedQuery } from '../../../domain/feed/feed-query.js';
import { positionToken } from '../../../domain/feed/position.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { type Moment, parseMoment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';
import { type CountedPageParts, countedPage } from '../limits/counted-page.js';
import { answerPage } from '../page/answer.js';
import type { PageRoute } from '../page-router.js';
import { type Context, parameter } from '../state.js';
import type { HolderVisit, Visits } from '../visit.js';
import { FEED_PATH, feedFilter } from './feed-address.js';
import { FeedView } from './feed-page.js';

/** Items on a page. Few, so that a page stays small. */
const ITEMS = 10;
/** Sub-markets on a page, all items together. */
const SUB_MARKETS = 60;

export type FeedParts = CountedPageParts & {
  readonly visits: Visits<HolderVisit>;
  readonly readFeed: ReadFeed;
  /** The query of `GET /pm/v2/news`. */
  readonly newsQuery: (querystring: string) => FeedQuery | Refusal<'invalid_parameter'>;
  readonly publicUrl: () => string;
  readonly keyFormat: KeyFormat;
};

/** The newest items as a page, within the state and the limits of the subscription. */
export function feedRoutes(parts: FeedParts): readonly PageRoute[] {
  const show = countedPage(parts, FEED_PATH, (ctx, visit, limits) => answerFeed(ctx, visit, parts, limits));
  return [{ path: FEED_PATH, GET: parts.visits.page(show) }];
}

async function answerFeed(
  ctx: Context,
  visit: HolderVisit,
  { readFeed, newsQuery, publicUrl, demo, keyFormat }: FeedParts,
  limits: readonly Limit[],
): Promise<void> {
  const filter = feedFilter(ctx.querystring, keyFormat);
  const asked = parameter(ctx, 'cursor');
  const cursor = asked === null ? null : (parseMoment(asked) ?? null);
  const query = newsQuery(filter.toString());
  const isInvalid = 'refused' in query;
  const shown = isInvalid ? NOTHING : shownItems(await readFeed({ ...query, limit: ITEMS, cursor }));
  const warnings = [
    ...(asked !== null && cursor === null
      ? ['The cursor in the address is not valid. You see the newest items.']
      : []),
    ...(isInvalid
      ? query.faults.map(({ parameter: name, message }) => `The filter “${name}” ${message}.`)
      : []),
  ];
  const { viewer, now } = visit;
  const props = { viewer, now, limits, filter, warnings, url: publicUrl(), demo: demo(FEED_PATH, visit) };
  const position = cursor === null ? shown.position : null;
  answerPage(ctx, <FeedView {...props} {...shown} position={position} />, isInvalid ? 400 : 200);
}

const NOTHING = { items: [], nextCursor: null, position: null } as const;

/** The items that fit on a page, and where the next page begins. */
function shownItems({ page, bytesOf, position }: FeedReading) {
  const read = page.items.map((item) => JSON.parse(bytesOf(item).toString('utf8')) as FeedItem);
  const items = read.slice(0, countThatFits(read));
  const nextCursor = items.length < read.length ? scoredAtOf(page, items.length - 1) : page.nextCursor;
  return { items, nextCursor, position: positionToken(position) };
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
