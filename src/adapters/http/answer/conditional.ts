import etag from 'etag';
import type { HonouredHeaders } from '../honoured-headers.js';
import type { Middleware } from '../state.js';

/** What a caller says of the copy that it has. */
type Conditions = Pick<HonouredHeaders, 'ifNoneMatch' | 'ifModifiedSince' | 'cacheControl'>;

const NO_CACHE = /(?:^|,)\s*no-cache\s*(?:,|$)/;

/**
 * Whether the caller has the body with this tag, so that 304 answers it (D36). `no-cache` asks for the whole body in any
 * case. So does a date: no answer tells when its body was last modified.
 */
export function isFresh(tag: string, { ifNoneMatch, ifModifiedSince, cacheControl }: Conditions): boolean {
  if (!ifNoneMatch || ifModifiedSince) return false;
  if (cacheControl !== undefined && NO_CACHE.test(cacheControl)) return false;
  if (ifNoneMatch === tag || ifNoneMatch === '*') return true;
  const opaque = opaqueOf(tag);
  return ifNoneMatch.split(',').some((listed) => opaqueOf(listed.trim()) === opaque);
}

/** Tags are compared weakly (RFC 9110). */
const opaqueOf = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** A weak `ETag` over the body, unless it has one, and 304 for who has it already (D36). The body must be bytes. */
export const conditional: Middleware = async (ctx, next) => {
  await next();
  if (ctx.status !== 200 || !Buffer.isBuffer(ctx.body)) return;
  const tag = (ctx.res.getHeader('ETag') as string | undefined) ?? etag(ctx.body, { weak: true });
  ctx.set('ETag', tag);
  const { headers } = ctx;
  const conditions = {
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    cacheControl: headers['cache-control'],
  };
  if (isFresh(tag, conditions)) {
    ctx.status = 304;
    ctx.body = null;
  }
};
