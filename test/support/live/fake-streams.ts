import type { EndCause, StreamSink } from '../../../src/adapters/live/connections/stream-sink.js';
import { Content, contentOf } from '../../../src/adapters/live/messages/content.js';
import { Message, type MessageType } from '../../../src/adapters/live/messages/message.js';
import type {
  OpenStream,
  PreparedStream,
  RunningStream,
  StreamRequest,
} from '../../../src/adapters/live/open-stream.js';
import type { Replacement } from '../../../src/composition/compose.js';
import { type Position, type PositionToken, positionToken } from '../../../src/domain/feed/position.js';
import type { StreamFilter } from '../../../src/domain/feed/stream-filter.js';
import { readStreamPosition } from '../../../src/domain/feed/stream-position.js';
import type { Refusal } from '../../../src/domain/refusal.js';
import { signal } from '../service/composed.js';

const MARK = '00112233445566ff';
export const at = (n: number): Position => ({ n, mark: MARK });

/** Its token. */
export const tokenAt = (n: number): PositionToken => positionToken(at(n));

/** A message with position number `n`. */
export const message = (type: MessageType, n: number, members: object = {}, retryMs?: number): Message =>
  new Message(type, tokenAt(n), contentOf(members), retryMs ?? null);

/** An item whose JSON has about this number of bytes that cannot be compressed much. */
export const largeItem = (n: number, bytes: number): Message => {
  const digits = Array.from({ length: Math.ceil(bytes / 10) }, (_, i) =>
    Math.sin(n + i)
      .toString()
      .slice(-10),
  );
  return new Message('item', tokenAt(n), new Content(Buffer.from(`,"text":"${digits.join('')}"}`)));
};

/** A stream that does what a test tells it. */
export class FakeStream implements PreparedStream, RunningStream {
  readonly request: StreamRequest;
  readonly mayWait: boolean;
  readonly subscribed: StreamFilter[] = [];
  readonly #started = signal();
  readonly #ended = signal();
  #sink: StreamSink | undefined;
  #onStart: (stream: FakeStream) => void;
  subscribes: 'done' | 'refused' = 'done';
  isAbandoned = false;
  hasLooked = false;
  pongs = 0;
  figures: RunningStream['figures'] = { position: { of: 'log', position: at(1) }, items: 0, reason: null };

  constructor(request: StreamRequest, mayWait: boolean, onStart: (stream: FakeStream) => void) {
    this.request = request;
    this.mayWait = mayWait;
    this.#onStart = onStart;
  }

  start(sink: StreamSink): RunningStream {
    this.#sink = sink;
    this.send(message('ready', 1));
    this.#onStart(this);
    this.#started.send();
    return this;
  }

  abandon(): void {
    this.isAbandoned = true;
    this.#ended.send();
  }

  closed(reason: string): void {
    this.figures = { ...this.figures, reason: this.figures.reason ?? reason };
    this.#ended.send();
  }

  subscribe(filter: StreamFilter): 'done' | 'refused' {
    this.subscribed.push(filter);
    return this.subscribes;
  }

  refuse(refusal: Refusal): void {
    this.end(refusal);
  }

  ponged(): void {
    this.pongs += 1;
  }

  get sink(): StreamSink {
    if (this.#sink === undefined) throw new Error('the stream has not started');
    return this.#sink;
  }

  send(...messages: readonly Message[]): boolean {
    const items = messages.filter(({ type }) => type === 'item' || type === 'retraction').length;
    const last = messages.at(-1);
    const position = last === undefined ? null : readStreamPosition(last.position);
    this.figures = {
      ...this.figures,
      ...(position !== null && { position }),
      items: this.figures.items + items,
    };
    return this.sink.send(messages);
  }

  /** The service ends the stream. */
  end(cause: EndCause, retryMs?: number): void {
    const { status, document } = this.request.problemOf(cause);
    const members = {
      problem: document,
      retry_after_seconds: retryMs === undefined ? null : retryMs / 1_000,
    };
    this.figures = { ...this.figures, reason: typeof cause === 'string' ? cause : cause.refused };
    this.sink.end(message('closing', 99, members, retryMs), status, cause);
  }

  get started(): Promise<void> {
    return this.#started.sent;
  }

  /** The connection is closed, or the stream was abandoned. */
  get ended(): Promise<void> {
    return this.#ended.sent;
  }
}

/** The streams that a test lets the service open. */
export function fakeStreams() {
  const opened: FakeStream[] = [];
  const waiting: ((stream: FakeStream) => void)[] = [];
  const fake = {
    opened,
    /** Answered instead of a stream, or thrown. */
    instead: null as Refusal | 'overloaded' | 'restart' | Error | null,
    mayWait: true,
    /** Opening waits for it. */
    until: Promise.resolve() as Promise<void>,
    /** Called when a stream is asked for, and when one has started. */
    onAsk: (): void => {},
    onStart: (_stream: FakeStream): void => {},
    /** The next stream that is opened. */
    next: () => new Promise<FakeStream>((done) => void waiting.push(done)),
    /** Closes the connections that tests left open: a service that stops waits for them. */
    destroyAll: (): void => {
      for (const { sink } of opened) sink.destroy();
    },
    replace: (): ReturnType<Replacement> => ({ openStream: () => openStream }),
  };
  const openStream: OpenStream = async (request) => {
    fake.onAsk();
    await fake.until;
    if (fake.instead instanceof Error) throw fake.instead;
    if (fake.instead !== null) return fake.instead;
    const stream = new FakeStream(request, fake.mayWait, (started) => fake.onStart(started));
    opened.push(stream);
    waiting.shift()?.(stream);
    return stream;
  };
  return fake;
}

export type FakeStreams = ReturnType<typeof fakeStreams>;
