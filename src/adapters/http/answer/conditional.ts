import etag from 'etag';
import type { ReadHeaders } from '../read-headers.js';
import type { Middleware } from '../state.js';

/** The headers that make a request conditional. */
type Conditions = Pick<ReadHeaders, 'ifNoneMatch' | 'cacheControl'>;

const NO_CACHE = /(?:^|,)\s*no-cache\s*(?:,|$)/i;

/**
 * Whether the client has the body with this tag, so that the response is 304 (D36). A request with `no-cache` always
 * gets the whole body. `If-Modified-Since` does not count beside `If-None-Match` (RFC 9110, 13.1.3), nor alone, because no
 * response has `Last-Modified`.
 */
export function isFresh(tag: string, { ifNoneMatch, cacheControl }: Conditions): boolean {
  if (!ifNoneMatch) return false;
  if (cacheControl !== undefined && NO_CACHE.test(cacheControl)) return false;
  if (ifNoneMatch === tag || ifNoneMatch === '*') return true;
  const opaque = opaqueOf(tag);
  return ifNoneMatch.split(',').some((listed) => opaqueOf(listed.trim()) === opaque);
}

/** Tags are compared weakly (RFC 9110). */
const opaqueOf = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Sets a weak `ETag` unless there is one, and answers 304 to clients that have the body (D36). Only for buffers. */
export const conditional: Middleware = async (ctx, next) => {
  await next();
  if (ctx.status !== 200 || !Buffer.isBuffer(ctx.body)) return;
  const tag = (ctx.res.getHeader('ETag') as string | undefined) ?? etag(ctx.body, { weak: true });
  ctx.set('ETag', tag);
  const { headers } = ctx;
  const conditions = {
    ifNoneMatch: headers['if-none-match'],
    cacheControl: headers['cache-control'],
  };
  if (isFresh(tag, conditions)) {
    ctx.status = 304;
    ctx.body = null;
  }
};
