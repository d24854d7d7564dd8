import type { Middleware } from '../state.js';
import type { Compression } from './compression.js';

/** Compresses the response of the route, as `Accept-Encoding` requests (D36). */
export const contentEncoding =
  (compression: Compression): Middleware =>
  async (ctx, next) => {
    await next();
    const varies = ctx.res.getHeader('Vary');
    ctx.set('Vary', varies === undefined ? 'Accept-Encoding' : `${varies}, Accept-Encoding`);
    const { body } = ctx;
    if (!Buffer.isBuffer(body)) return;
    const encoding = compression.choose(ctx.headers['accept-encoding'], body);
    if (encoding === 'identity') return;
    ctx.body = await compression.of(encoding, ctx.res.getHeader('ETag') as string | undefined, body);
    ctx.set('Content-Encoding', encoding);
  };
