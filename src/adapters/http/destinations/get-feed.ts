import etag from 'etag';
import type {
  DestinationFeed,
  ReadDestinationFeed,
} from '../../../application/destinations/read-destination-feed.js';
import type { Secrets } from '../../../application/ports/secrets.js';
import { feedPath, isFeedToken } from '../../../domain/destinations/feed-token.js';
import type { StoredItem } from '../../../domain/feed/stored-item.js';
import { type AtomSource, atomFeed } from '../../destinations/atom-feed.js';
import { isFresh } from '../answer/conditional.js';
import { answerProblem, answerRefusal } from '../answer/problem.js';
import type { RouteHandler } from '../state.js';

type Parts = {
  readonly readDestinationFeed: ReadDestinationFeed;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly publicUrl: () => string;
};

const FILE = /^(.+)\.atom$/;

/** `GET /feeds/{token}.atom`: the newest items of a filter for feed readers, which send no key (D67). */
export const getFeed =
  ({ readDestinationFeed, secrets, publicUrl }: Parts): RouteHandler =>
  async (ctx) => {
    const [, token = ''] = FILE.exec(ctx.params['file'] ?? '') ?? [];
    if (!isFeedToken(token)) return answerProblem(ctx, 'not_found');
    ctx.set('Cache-Control', 'private, no-cache');
    const selfUrl = `${publicUrl()}${feedPath(token)}`;
    const refusal = await readDestinationFeed(secrets.hash(token), (feed) => {
      const body = Buffer.from(atomFeed(sourceOf(feed, selfUrl, `${publicUrl()}/dashboard/feed`)));
      const tag = etag(body, { weak: true });
      ctx.set('ETag', tag);
      const { 'if-none-match': ifNoneMatch, 'cache-control': cacheControl } = ctx.headers;
      if (isFresh(tag, { ifNoneMatch, cacheControl })) {
        ctx.status = 304;
        return 'free';
      }
      ctx.type = 'application/atom+xml; charset=utf-8';
      ctx.body = body;
      return 'paid';
    });
    if (refusal !== null) answerRefusal(ctx, refusal);
  };

const sourceOf = (
  { destination, items, bytesOf }: DestinationFeed,
  selfUrl: string,
  feedUrl: string,
): AtomSource => ({
  id: destination.id,
  selfUrl,
  feedUrl,
  title: `Oddswire: ${destination.label}`,
  updated: items[0]?.scoredAt ?? destination.createdAt,
  items: items.map((item) => ({
    id: item.id,
    scored_at: item.scoredAt,
    known_at: null,
    item: JSON.parse(bytesOf(item).toString('utf8')) as StoredItem,
  })),
});
