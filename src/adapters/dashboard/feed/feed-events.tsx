import { Readable } from 'node:stream';
import { renderToString } from 'preact-render-to-string';
import type { CountAttempt } from '../../../application/limits/count-attempt.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import { readPosition } from '../../../domain/feed/position.js';
import type { StreamFilter } from '../../../domain/feed/stream-filter.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { whyAccessRefused } from '../../../domain/limits/admission.js';
import { FEED_PAGE_OPENS } from '../../../domain/limits/attempt.js';
import type { Refusal } from '../../../domain/refusal.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { type Context, parameter } from '../state.js';
import type { HolderVisit, Visits } from '../visit.js';
import { FEED_PATH, feedFilter } from './feed-address.js';
import { FeedCard } from './feed-card.js';
import { event, type OpenPageParts, OpenPages } from './open-pages.js';

export const EVENTS_PATH = `${FEED_PATH}/events`;

export type FeedEventParts = OpenPageParts & {
  readonly visits: Visits<HolderVisit>;
  readonly clock: Clock;
  readonly countAttempt: CountAttempt;
  readonly keyFormat: KeyFormat;
  readonly checkFilter: (text: string) => StreamFilter | Refusal<'invalid_parameter'>;
};

/**
 * GET /dashboard/feed/events: the cards of changed items for an open page of the feed. They cost nothing, as on a stream that has
 * caught up (D46): the page has its request (D123).
 */
export function feedEventRoutes(parts: FeedEventParts): readonly PageRoute[] {
  const pages = new OpenPages(parts);
  return [
    { path: EVENTS_PATH, GET: parts.visits.page((ctx, visit) => answerEvents(ctx, visit, parts, pages)) },
  ];
}

async function answerEvents(
  ctx: Context,
  visit: HolderVisit,
  { visits, checkFilter, clock, keyFormat, countAttempt }: FeedEventParts,
  pages: OpenPages,
): Promise<void> {
  const filter = checkFilter(feedFilter(ctx.querystring, keyFormat).toString());
  const from = readPosition(ctx.get('Last-Event-ID') || (parameter(ctx, 'after') ?? ''));
  if ('refused' in filter || from === null) return answerError(ctx, 'bad request');
  if (whyAccessRefused(visit.account.subscription, visit.now) !== null) return answerError(ctx, 'not found');
  const wait = await countAttempt(visit.account.id, FEED_PAGE_OPENS);
  if (wait !== null) return answerTooMany(ctx, wait);
  ctx.type = 'text/event-stream; charset=utf-8';
  ctx.set({ 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
  ctx.status = 200;
  // Without a body nothing would end a page: HEAD only asks whether the session may have one (`browser/feed.ts`).
  if (ctx.method === 'HEAD') return;
  const page = pages.open({
    ...{ account: visit.account.id, from, filter },
    isAllowed: async () => {
      const again = await visits.again(ctx);
      return again !== null && whyAccessRefused(again.account.subscription, again.now) === null;
    },
    eventOf: (message) => cardEvent(message, clock),
  });
  if (page === null) return answerError(ctx, 'overloaded');
  ctx.state.stream = { measuredUntil: performance.now(), open: null, record: page.figures };
  ctx.body = Readable.from(page.events).once('close', page.close);
}

type ChangeMessage =
  | { readonly type: 'item'; readonly item: FeedItem }
  | { readonly type: 'retraction'; readonly id: string };

function cardEvent(text: string, clock: Clock): string {
  const message = JSON.parse(text) as ChangeMessage;
  if (message.type === 'retraction') return event('retraction', JSON.stringify({ id: message.id }));
  const { item } = message;
  const html = renderToString(<FeedCard item={item} now={clock()} />);
  return event('item', JSON.stringify({ id: item.news_event.id, html }));
}
