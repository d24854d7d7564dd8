import type { FeedItem } from '../../domain/feed/feed-item.js';
import { searchedTexts } from '../../domain/feed/filters/searched-texts.js';
import type { ApiAnswer, CallApi, Query } from './api.js';
import { compactItem } from './compact-item.js';
import { failedAnswer, type ToolError, toolError } from './tool-error.js';
import { questionOf, type Texts } from './tool-question.js';

/** What a tool has found, or why it has nothing. */
export type ToolOutcome = { readonly result: object } | { readonly error: ToolError };

export type Page = { readonly items: readonly FeedItem[]; readonly next_cursor: string | null };

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

const withLimit = (query: Query, limit: number): Query => ({ ...query, limit: String(limit) });

/** Reads a page of the feed, with compact items. */
async function readPage(callApi: CallApi, query: Query, queryWords: readonly string[]) {
  const called = await call(callApi, '/pm/v2/news', query);
  if ('error' in called) return called;
  const { items, next_cursor } = called.answer.json as Page;
  const { feedPosition: feed_position } = called.answer;
  return { page: { items: items.map((item) => compactItem(item, queryWords)), next_cursor, feed_position } };
}

async function readTexts(callApi: CallApi, query: Query): Promise<Texts> {
  const called = await call(callApi, '/pm/v2/news', query);
  if ('error' in called) return called;
  return { texts: (called.answer.json as Page).items.map((item) => searchedTexts(item).join(' ')) };
}

/** Searches the feed. `q` can be a question, of which some words count. */
export async function searchNews(
  callApi: CallApi,
  { until, ...query }: Query,
  count: number,
): Promise<ToolOutcome> {
  if (until === undefined || query['cursor'] !== undefined) return search(callApi, query, count, until);
  // The API returns the items before its cursor.
  const outcome = await search(callApi, { ...query, cursor: until }, count, until);
  return 'error' in outcome ? { error: aboutUntil(outcome.error) } : outcome;
}

/** The error names the argument that the agent has sent. */
const aboutUntil = ({ errors, ...error }: ToolError): ToolError => ({
  ...error,
  ...(errors && {
    errors: errors.map((fault) => (fault.parameter === 'cursor' ? { ...fault, parameter: 'until' } : fault)),
  }),
});

/** `until`: the cursor of the entries with which the words of a question are compared, so that every page compares the same ones. */
async function search(
  callApi: CallApi,
  query: Query,
  count: number,
  until: string | undefined,
): Promise<ToolOutcome> {
  const question = await questionOf(query, (sample) =>
    readTexts(callApi, until === undefined ? sample : { ...sample, cursor: until }),
  );
  if ('error' in question) return question;
  const { queryWords } = question;
  const read = await readPage(callApi, withLimit(question.query, count), queryWords);
  return 'error' in read ? read : { result: { ...read.page, query_words: queryWords } };
}

export const marketNotFound = (): { readonly error: ToolError } => ({
  error: toolError('market_not_found', 'No item of the feed has a sub-market with this id.'),
});

/** Reads the items of one market. */
export async function newsForMarket(callApi: CallApi, query: Query, count: number): Promise<ToolOutcome> {
  const read = await readPage(callApi, withLimit(query, count), []);
  if ('error' in read) return read;
  const isFirst = query['cursor'] === undefined;
  return isFirst && read.page.items.length === 0 ? marketNotFound() : { result: read.page };
}

type Message = {
  readonly type: string;
  readonly known_at: string | null;
  readonly item?: FeedItem;
  readonly id?: string;
};
/** Instances before `more` was added do not send it. */
type Batch = { readonly messages: readonly Message[]; readonly position: string; readonly more?: boolean };

const compactMessage = ({ type, known_at, item, id }: Message) => ({
  type,
  known_at,
  ...(item === undefined ? { id } : { item: compactItem(item, []) }),
});

/** Reads a batch of changes. Without a position to continue after, it reads that of now from a page, which shows that the market exists. */
export async function watchMarket(callApi: CallApi, query: Query, count: number): Promise<ToolOutcome> {
  if (query['after'] === undefined) return firstPosition(callApi, query);
  const called = await call(callApi, '/pm/v2/stream', withLimit(query, count));
  if ('error' in called) return called;
  const { messages, position, more = messages.length === count } = called.answer.json as Batch;
  return { result: { messages: messages.map(compactMessage), position, more } };
}

async function firstPosition(callApi: CallApi, query: Query): Promise<ToolOutcome> {
  const read = await readPage(callApi, withLimit(query, 1), []);
  if ('error' in read) return read;
  const { items, feed_position: position } = read.page;
  return items.length === 0 ? marketNotFound() : { result: { messages: [], position, more: false } };
}
