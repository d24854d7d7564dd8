import etag from 'etag';
import type { Middleware } from '../state.js';

/** A weak `ETag` over the body, unless it has one, and 304 for who has it already (D36). The body must be bytes. */
export const conditional: Middleware = async (ctx, next) => {
  await next();
  if (ctx.status !== 200 || !Buffer.isBuffer(ctx.body)) return;
  if (!ctx.res.hasHeader('ETag')) ctx.set('ETag', etag(ctx.body, { weak: true }));
  if (ctx.headers['if-none-match'] !== undefined && ctx.fresh) {
    ctx.status = 304;
    ctx.body = null;
  }
};
