import etag from 'etag';
import { type ListenerName, serviceLinks } from '../answer/service-links.js';
import { documentSettings } from '../openapi/document.js';
import { internalDocument } from '../openapi/internal-document.js';
import { publicDocument } from '../openapi/public-document.js';
import type { RouteHandler } from '../state.js';

const DOCUMENTS = { public: publicDocument, internal: internalDocument } as const;

/**
 * GET /openapi.json: the body is built at the first request, because it contains the port of the listener, and once,
 * because it does not change while the service runs.
 */
export const getOpenApi = (
  listener: ListenerName,
  parts: Parameters<typeof documentSettings>[0],
): RouteHandler => {
  let built: { readonly body: Buffer; readonly tag: string } | null = null;
  return (ctx) => {
    built ??= taggedBody(DOCUMENTS[listener](documentSettings(parts)));
    ctx.set('Cache-Control', 'public, no-cache');
    ctx.set('ETag', built.tag);
    ctx.set('Link', serviceLinks(listener));
    ctx.type = 'application/json';
    ctx.body = built.body;
  };
};

function taggedBody(document: object) {
  const body = Buffer.from(JSON.stringify(document));
  return { body, tag: etag(body, { weak: true }) };
}
