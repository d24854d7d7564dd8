import type { Moment } from '../../../domain/moment.js';
import { keptBytes } from '../../live/messages/kept-bytes.js';

/** The JSON of a page (contract section 2.1), joined from the rendered items. */
export function feedPageJson(items: readonly Buffer[], nextCursor: Moment | null): Buffer {
  const parts = items.flatMap((json, i) => (i === 0 ? [json] : [COMMA, json]));
  return keptBytes([OPEN, ...parts, Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor)}}`)]);
}

const OPEN = Buffer.from('{"items":[');
const COMMA = Buffer.from(',');
