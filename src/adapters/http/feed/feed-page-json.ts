import type { RenderedItem } from '../../../application/ports/feed-store.js';
import type { FeedPage } from '../../../domain/feed-page.js';

/** A page as it goes on the wire (section 2.1): the items' own bytes, put together. */
export function feedPageJson({ items, nextCursor }: FeedPage<RenderedItem>): Buffer {
  const parts = items.flatMap(({ json }, i) => (i === 0 ? [json] : [COMMA, json]));
  return Buffer.concat([OPEN, ...parts, Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor)}}`)]);
}

const OPEN = Buffer.from('{"items":[');
const COMMA = Buffer.from(',');
