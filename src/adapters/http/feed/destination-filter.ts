import type { StreamFilter } from '../../../domain/feed/stream-filter.js';
import type { Fault, Refusal } from '../../../domain/refusal.js';
import { parameters } from '../parameters.js';
import { FILTER_PARAMETERS } from './feed-parameters.js';
import { streamQuery } from './stream/stream-parameters.js';

/** The filters of a stream: where it starts is no matter of a destination. */
const KNOWN: ReadonlySet<string> = new Set(['news_id', 'market_id', ...Object.keys(FILTER_PARAMETERS)]);

/** The filter of a destination, from a query string as a stream has it (D66). Unlike a stream, it accepts no other parameter. */
export function destinationFilter(text: string): StreamFilter | Refusal<'invalid_parameter'> {
  const unknown = parameters(text).filter(({ name }) => !KNOWN.has(name));
  const faults = unknown.map(
    ({ name }): Fault => ({ parameter: name, code: 'unknown_parameter', message: 'is no filter' }),
  );
  if (faults.length > 0) return { refused: 'invalid_parameter', faults };
  const query = streamQuery(text, '', false);
  return 'refused' in query ? query : query.filter;
}
