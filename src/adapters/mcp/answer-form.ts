/** In which form a client of `/mcp` takes an answer: as JSON or as an event stream, as JSON only, or in neither form. */
export type AnswerForm = 'either' | 'json' | 'none';

const ANY_JSON = ['application/json', 'application/*', '*/*'];
const EVENT_STREAM = 'text/event-stream';

/**
 * Reads the header `Accept`. The protocol asks clients to name both forms. Simple clients send any type or nothing: they get
 * JSON, because only a client that names event streams can read one.
 */
export function answerFormOf(accept: string | undefined): AnswerForm {
  if (accept === undefined || accept.trim() === '') return 'json';
  const types = accept.split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  if (!types.some((type) => ANY_JSON.includes(type))) return 'none';
  return types.includes(EVENT_STREAM) ? 'either' : 'json';
}
