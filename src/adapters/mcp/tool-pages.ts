import type { ApiAnswer, CallApi } from './api.js';
import { failedAnswer, type ToolError, toolError } from './tool-error.js';
import { fittingEntries, isTooLarge } from './tool-result.js';

/** What a tool has found, or why it has nothing. */
export type ToolOutcome = { readonly result: object } | { readonly error: ToolError };

/** The parameters of a request, by name. */
export type Query = Readonly<Record<string, string>>;

type Item = { readonly news_event: { readonly id: string } };
type Page = { readonly items: readonly Item[]; readonly next_cursor: string | null };

/** The longest query string of the API, in bytes. A longer one is not sent. */
const QUERY_MAX = 4_096;

export async function call(
  callApi: CallApi,
  path: Parameters<CallApi>[0],
  query: Query,
): Promise<{ readonly answer: ApiAnswer } | { readonly error: ToolError }> {
  const parameters = new URLSearchParams(query).toString();
  if (parameters.length > QUERY_MAX)
    return { error: toolError('uri_too_long', `The arguments have more than ${QUERY_MAX} bytes.`) };
  const answer = await callApi(path, parameters);
  return answer.status === 200 ? { answer } : { error: failedAnswer(answer) };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const noteOf = (item: Item) => ({ news_id: item.news_event.id, bytes: bytesOf(item) });

const sizeOf = (entry: unknown, note: object | null) => ({
  bytes: bytesOf(entry),
  noteBytes: note === null ? 0 : bytesOf(note) + 1,
});

/**
 * Reads a page. One that is larger than a result is read again, with as many items as fit: only the API knows the cursor
 * after them. The feed may change in between, so this can repeat, each time with fewer items.
 */
export async function readPage(callApi: CallApi, query: Query, count: number): Promise<ToolOutcome> {
  for (let limit = count; ; ) {
    const called = await call(callApi, '/pm/v2/news', { ...query, limit: String(limit) });
    if ('error' in called) return called;
    const { items, next_cursor } = called.answer.json as Page;
    const fitting = fittingEntries(items.map((item) => sizeOf(item, noteOf(item))));
    if (fitting === items.length) {
      const large = items.filter((item) => isTooLarge(bytesOf(item)));
      return {
        result: {
          items: items.filter((item) => !large.includes(item)),
          next_cursor,
          feed_position: called.answer.feedPosition,
          too_large: large.map(noteOf),
        },
      };
    }
    limit = fitting;
  }
}

/** Reads one item. */
export async function readItem(callApi: CallApi, query: Query): Promise<ToolOutcome> {
  const called = await call(callApi, '/pm/v2/news', query);
  if ('error' in called) return called;
  const [item] = (called.answer.json as Page).items;
  if (item === undefined)
    return { error: toolError('news_not_found', 'There is no news event with this id.') };
  const { bytes } = noteOf(item);
  if (isTooLarge(bytes)) {
    const detail = `The item has ${bytes} bytes, more than a result of a tool may have.`;
    return { error: toolError('item_too_large', detail) };
  }
  return { result: { item, feed_position: called.answer.feedPosition } };
}

type Message = { readonly position: string; readonly item?: Item };
/** Instances before `more` was added do not send it. */
type Batch = { readonly messages: readonly Message[]; readonly position: string; readonly more?: boolean };

const messageNote = ({ item }: Message) => (item === undefined ? null : noteOf(item));

/** Reads a batch of changes. If not all of them fit, the position is that of the last one that does. */
export async function readChanges(callApi: CallApi, query: Query, count: number): Promise<ToolOutcome> {
  const called = await call(callApi, '/pm/v2/stream', { ...query, limit: String(count) });
  if ('error' in called) return called;
  const { messages, position, more = messages.length === count } = called.answer.json as Batch;
  const fitting = fittingEntries(messages.map((message) => sizeOf(message, messageNote(message))));
  const shown = messages.slice(0, fitting);
  const large = shown.filter((message) => isTooLarge(bytesOf(message)));
  const isCut = fitting < messages.length;
  return {
    result: {
      messages: shown.filter((message) => !large.includes(message)),
      position: isCut ? (shown.at(-1)?.position ?? position) : position,
      more: isCut || more,
      too_large: large.flatMap(({ item }) => (item === undefined ? [] : [noteOf(item)])),
    },
  };
}
