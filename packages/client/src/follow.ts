import { batchOnce } from './batches.js';
import { checkQuery, FOLLOW } from './check-query.js';
import { failureIn } from './errors.js';
import type { FeedMessage } from './messages.js';
import { type End, type Form, failureOf, nextStep } from './next-step.js';
import type { FollowOptions } from './options.js';
import { Resume } from './resume.js';
import { streamOnce } from './stream.js';
import type { Transport } from './transport.js';
import { pause } from './waiting.js';

/** A network that blocks streams can change: a stream is tried again after this time. */
const STREAM_AGAIN_MS = 300_000;

/**
 * Yields every message after the start, over any number of connections. The position of a message is used only after the
 * user took the message: the next one is requested when the user asks for it.
 */
export async function* followFeed(
  transport: Transport,
  { signal, ...query }: FollowOptions,
): AsyncGenerator<FeedMessage, void> {
  checkQuery(query, FOLLOW);
  const resume = new Resume(query);
  let blockedUntil = Number.NEGATIVE_INFINITY;
  for (;;) {
    const form: Form = performance.now() < blockedUntil ? 'batches' : 'stream';
    const end = yield* connectOnce(transport, resume, form, signal);
    const { maxWaitMs } = transport;
    const step = nextStep(end, form, { attempt: resume.failures, maxWaitMs, random: Math.random() });
    if (step.do === 'throw') throw step.error;
    if (step.do === 'use batches') blockedUntil = performance.now() + STREAM_AGAIN_MS;
    else await waitFor(transport, end, step.ms, signal);
    if (end.kind === 'ended' || end.kind === 'refused') resume.noteFailure();
  }
}

function waitFor(transport: Transport, end: End, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const failure = failureOf(end);
  return failure === null ? pause(ms, signal) : transport.waitAfter(failure, ms, signal);
}

async function* connectOnce(
  transport: Transport,
  resume: Resume,
  form: Form,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedMessage, End> {
  try {
    return yield* form === 'stream'
      ? streamOnce(transport, resume, signal)
      : batchOnce(transport, resume, signal);
  } catch (error) {
    return { kind: 'refused', error: failureIn(error) };
  }
}
