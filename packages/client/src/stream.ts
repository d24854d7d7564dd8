import type { ConnectionErrors } from './connection-errors.js';
import { invalidResponse, OddswireError } from './errors.js';
import { EventStreamParser, type StreamEvent } from './event-stream.js';
import { parsed } from './json.js';
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
    return yield* messagesOf(new MessageReader(response.body, transport, signal), resume);
  } finally {
    connection.abort();
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
    if (message instanceof OddswireError) return { kind: 'ended', error: message };
    if (message === 'blocked') return { kind: message };
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
  readonly #errors: ConnectionErrors;
  readonly #signal: AbortSignal | undefined;
  readonly #parser = new EventStreamParser();
  #events: readonly StreamEvent[] = [];
  /** Null until `ready` states the interval of the heartbeat. */
  #silenceMs: number | null = null;

  constructor(body: ReadableStream<Uint8Array>, { errors }: Transport, signal: AbortSignal | undefined) {
    this.#bytes = body.getReader();
    this.#errors = errors;
    this.#signal = signal;
  }

  /** The next message of a known type, or the failure that ended the connection. `blocked`: not even the first one arrived. */
  async next(): Promise<StreamMessage | OddswireError | 'blocked'> {
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
      // Damaged: it must be requested again.
      if (!isMessage(message)) return invalidResponse('A message of the stream is damaged.');
      if (!isKnown(message)) continue;
      // A connection without a byte for two intervals is dead.
      if (message.type === 'ready') this.#silenceMs = 2_000 * message.heartbeat_seconds;
      return message;
    }
  }

  /** Null if there is more to read. */
  async #readMore(): Promise<OddswireError | 'blocked' | null> {
    try {
      const bytes = await readWithin(this.#bytes, this.#silenceMs ?? FIRST_MESSAGE_MS);
      if (bytes === 'silent')
        return this.#silenceMs === null
          ? 'blocked'
          : this.#errors.timedOut(new Error('the stream is silent'));
      if (bytes === null) return this.#errors.failed(new Error('the stream ended'));
      this.#events = this.#parser.push(bytes);
      return null;
    } catch (error) {
      this.#signal?.throwIfAborted();
      return this.#errors.failed(error); // The connection was cut, or the bytes are not UTF-8.
    }
  }
}
