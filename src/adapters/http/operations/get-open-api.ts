import etag from 'etag';
import type { RouteHandler } from '../state.js';

/** GET /openapi.json: the body is built once, because it does not change while the service runs. */
export const getOpenApi = (document: object): RouteHandler => {
  const body = Buffer.from(JSON.stringify(document));
  const tag = etag(body, { weak: true });
  return (ctx) => {
    ctx.set('Cache-Control', 'public, no-cache');
    ctx.set('ETag', tag);
    ctx.type = 'application/json';
    ctx.body = body;
  };
};
