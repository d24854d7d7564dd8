import { setTimeout } from 'node:timers/promises';
import { type FeedMessage, Oddswire, OddswireError } from '@oddswire/client';
import sinon from 'sinon';
import type {
  At,
  Failure,
  Following,
  FollowingOptions,
  Method,
  Outcome,
  Query,
  TestedClient,
} from './tested-client.js';

/** The package `@oddswire/client` in this process. */
export const TYPESCRIPT: TestedClient = {
  language: 'TypeScript',
  call,
  follow,
  shiftClock: async (seconds) => {
    sinon.restore();
    if (seconds === 0) return;
    const realNow = Date.now;
    sinon.stub(Date, 'now').callsFake(() => realNow() + 1_000 * seconds);
  },
};

const clientAt = ({ url, key, retries, timeoutSeconds }: At): Oddswire =>
  new Oddswire({
    url,
    key,
    ...(retries !== undefined && { retries }),
    ...(timeoutSeconds !== undefined && { timeoutMs: 1_000 * timeoutSeconds }),
  });

async function call(
  at: At,
  method: Method,
  query: Query = {},
  take = Number.POSITIVE_INFINITY,
): Promise<Outcome> {
  const client = clientAt(at);
  if (method === 'walk' || method === 'history' || method === 'walkMarkets')
    return taken(client[method](query as object), take);
  const value: unknown = await client[method](query as object).catch(failureOf);
  if (isFailure(value)) return { value: null, position: null, failure: value };
  const { position = null } = value as { readonly position?: string };
  return { value, position, failure: null };
}

async function taken(
  values: AsyncIterable<unknown> & { readonly position?: string | undefined },
  take: number,
): Promise<Outcome> {
  const value: unknown[] = [];
  const failure = await (async () => {
    for await (const one of values) if (value.push(one) === take) break;
    return null;
  })().catch(failureOf);
  return { value, position: positionOf(values), failure };
}

/** The position of a walk throws before its first page. */
function positionOf(values: { readonly position?: string | undefined }): string | null {
  try {
    return values.position ?? null;
  } catch {
    return null;
  }
}

function follow(at: At, query: Query = {}, options: FollowingOptions = {}): Following {
  const abort = new AbortController();
  const messages: FeedMessage[] = [];
  const reading = async () => {
    for await (const message of clientAt(at).follow({ ...query, signal: abort.signal })) {
      messages.push(message);
      if (message.type !== 'item') continue;
      if (options.stopsAtItem) abort.abort(ABORTED);
      if (options.itemSeconds !== undefined) await setTimeout(1_000 * options.itemSeconds);
    }
    throw new Error('the messages have ended');
  };
  const ended = reading().catch((error: unknown) => (error === ABORTED ? null : failureOf(error)));
  return { messages, stop: () => abort.abort(ABORTED), ended };
}

const ABORTED = new Error('the test has aborted');

const FAILURES = new WeakSet<object>();
const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' && value !== null && FAILURES.has(value);

function failureOf(error: unknown): Failure {
  if (!(error instanceof OddswireError)) throw error;
  const { code, status, retryAfterSeconds, message, problem } = error;
  const failure = { code, status, retryAfterSeconds, message, problem };
  FAILURES.add(failure);
  return failure;
}
