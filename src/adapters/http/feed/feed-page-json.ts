import type { Moment } from '../../../domain/moment.js';

/** A page as it goes on the wire (contract section 2.1): the items' own bytes, put together. */
export function feedPageJson(items: readonly Buffer[], nextCursor: Moment | null): Buffer {
  const parts = items.flatMap((json, i) => (i === 0 ? [json] : [COMMA, json]));
  return Buffer.concat([OPEN, ...parts, Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor)}}`)]);
}

const OPEN = Buffer.from('{"items":[');
const COMMA = Buffer.from(',');
