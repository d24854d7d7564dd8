import { OddswireError, parsed } from './errors.js';
import { EventStreamParser, type StreamEvent } from './event-stream.js';
import { type FeedMessage, isKnown, isMessage, type StreamMessage } from './messages.js';
import type { End } from './next-step.js';
import type { Resume } from './resume.js';
import type { Opened, Transport } from './transport.js';
import { readWithin } from './waiting.js';

/** The service sends its first message at once. If none arrives in this time, a proxy collects the stream. */
const FIRST_MESSAGE_MS = 5_000;

const EVENT_STREAM = 'text/event-stream';

/** One connection with Server-Sent Events. */
export async function* streamOnce(
  transport: Transport,
  resume: Resume,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedMessage, End> {
  const opened = await openStream(transport, resume, signal);
  if (opened === null) return { kind: 'blocked' };
  const { response, connection } = opened;
  try {
    if (!response.headers.get('Content-Type')?.startsWith(EVENT_STREAM) || response.body === null)
      return { kind: 'blocked' };
    return yield* messagesOf(new MessageReader(response.body, signal), resume);
  } finally {
    connection.abort();
    connection.unlink();
  }
}

/** Null if there is no response in the time of the first message. */
async function openStream(
  transport: Transport,
  resume: Resume,
  signal: AbortSignal | undefined,
): Promise<Opened | null> {
  const path = `/pm/v2/stream?${resume.queryText()}`;
  try {
    const { query } = resume;
    return await transport.open({ path, query, accept: EVENT_STREAM, timeoutMs: FIRST_MESSAGE_MS, signal });
  } catch (error) {
    if (error instanceof OddswireError && error.code === 'timed_out') return null;
    throw error;
  }
}

async function* messagesOf(reader: MessageReader, resume: Resume): AsyncGenerator<FeedMessage, End> {
  for (;;) {
    const message = await reader.next();
    if (message === 'ended' || message === 'blocked') return { kind: message };
    if (message.type === 'closing') {
      resume.moveTo(message.position);
      return { kind: 'closing', closing: message };
    }
    resume.note(message);
    yield message;
  }
}

/** Reads the messages of one connection. The time limit runs only while it waits for the service. */
class MessageReader {
  readonly #bytes: ReadableStreamDefaultReader<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  readonly #parser = new EventStreamParser();
  #events: readonly StreamEvent[] = [];
  /** Null until `ready` states the interval of the heartbeat. */
  #silenceMs: number | null = null;

  constructor(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
    this.#bytes = body.getReader();
    this.#signal = signal;
  }

  /** The next message of a known type. `blocked`: not even the first one arrived. */
  async next(): Promise<StreamMessage | 'ended' | 'blocked'> {
    for (;;) {
      this.#signal?.throwIfAborted(); // The user gets none of the messages that have already arrived.
      const [event, ...others] = this.#events;
      if (event === undefined) {
        const end = await this.#readMore();
        if (end !== null) return end;
        continue;
      }
      this.#events = others;
      const message = parsed(event.data);
      if (!isMessage(message)) return 'ended'; // Damaged: it must be requested again.
      if (!isKnown(message)) continue;
      // A connection without a byte for two intervals is dead.
      if (message.type === 'ready') this.#silenceMs = 2_000 * message.heartbeat_seconds;
      return message;
    }
  }

  async #readMore(): Promise<'ended' | 'blocked' | null> {
    try {
      const bytes = await readWithin(this.#bytes, this.#silenceMs ?? FIRST_MESSAGE_MS);
      if (bytes === 'silent') return this.#silenceMs === null ? 'blocked' : 'ended';
      if (bytes === null) return 'ended';
      this.#events = this.#parser.push(bytes);
      return null;
    } catch {
      this.#signal?.throwIfAborted();
      return 'ended'; // The connection was cut, or the bytes are not UTF-8.
    }
  }
}
