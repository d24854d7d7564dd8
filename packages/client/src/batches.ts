import { type FeedMessage, isBatch, isKnown } from './messages.js';
import type { End } from './next-step.js';
import type { Resume } from './resume.js';
import { spreadMs } from './retry.js';
import type { Transport } from './transport.js';

const LIMIT = 500;
/** Shorter than the time limit of most proxies. */
const WAIT_SECONDS = 25;
const ANSWER_SECONDS = 15;
/** An empty batch that waited this long costs no request. One that was answered earlier is not repeated at once. */
const FREE_WAIT_SECONDS = 5;

/** One batch, with the same promise as the stream. */
export async function* batchOnce(
  transport: Transport,
  resume: Resume,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedMessage, End> {
  // The first batches do not wait: the user gets a position, and `live`, at once.
  const wait = resume.wasLive ? WAIT_SECONDS : 0;
  const startedAt = performance.now();
  // Not `/pm/v2/changes`, which an instance of an older version does not have.
  const path = `/pm/v2/stream?${resume.queryText({ limit: LIMIT, wait })}`;
  const timeoutMs = 1_000 * (wait + ANSWER_SECONDS);
  const accept = 'application/json';
  const { body } = await transport.once({ path, query: resume.query, accept, timeoutMs, signal }, isBatch);
  const isEarly = performance.now() - startedAt < 1_000 * FREE_WAIT_SECONDS;
  const { messages, position, more = messages.length === LIMIT } = body;
  for (const message of messages) {
    if (!isKnown(message)) continue;
    resume.note(message);
    yield message;
    signal?.throwIfAborted(); // The user gets none of the others.
  }
  const isLive = !more && !resume.wasLive;
  // The position moves also past changes that do not pass the filter.
  const isNew = isLive || position !== resume.position;
  const progress = { type: isLive ? 'live' : 'heartbeat', position } as const;
  resume.note(progress); // Also an empty batch is a success.
  if (isNew) yield progress;
  const isTooEarly = messages.length === 0 && !more && isEarly && wait > 0;
  return { kind: 'batch', waitMs: isTooEarly ? spreadMs(FREE_WAIT_SECONDS, Math.random()) : 0 };
}
