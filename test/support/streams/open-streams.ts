import { randomUUID } from 'node:crypto';
import type { EndCause } from '../../../src/adapters/live/connections/stream-sink.js';
import type { Message } from '../../../src/adapters/live/messages/message.js';
import type { StreamRequest } from '../../../src/adapters/live/open-stream.js';
import { Stream, type StreamOwner } from '../../../src/adapters/live/stream.js';
import type { Admitted } from '../../../src/application/limits/admit-request.js';
import type { StreamId } from '../../../src/application/ports/limits/stream-slots.js';
import type { TermFilter } from '../../../src/domain/feed/filters/item-terms.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { positionIn } from '../live/stored-changes.js';
import { RecordedSink } from './recorded-sink.js';

const ADMITTED = {
  admitted: true,
  key: 'key',
  subscription: 'subscription',
  plan: 'pro',
} as unknown as Admitted;

/** The document is only the code of the problem. */
const problemOf = (cause: EndCause) => ({
  status: 500,
  document: { code: typeof cause === 'string' ? cause : cause.refused },
});

type Given = {
  readonly hash?: string;
  readonly newsId?: string | null;
  readonly markets?: readonly string[] | null;
  readonly terms?: TermFilter;
  readonly form?: StreamRequest['form'];
  readonly start?: StreamRequest['start'];
  readonly ignored?: readonly string[];
  readonly source?: string;
};

export const streamRequest = ({
  hash = 'hash',
  newsId = null,
  markets = null,
  terms = [],
  form = 'sse',
  start,
  ignored = [],
  source = '192.0.2.1',
}: Given = {}): StreamRequest => ({
  ...{
    form,
    hash: hash as KeyHash,
    admitted: ADMITTED,
    source,
    isResumed: false,
    requestId: 'request',
    problemOf,
  },
  start: start ?? { from: 'now' },
  ignored,
  filter: { newsId, marketIds: markets === null ? null : new Set(markets), terms },
});

const NO_OWNER: StreamOwner = {
  positionOf: () => ({ of: 'log', position: positionIn(1) }),
  closed: () => {},
  subscribe: () => 'done',
  end: () => {},
  alive: () => {},
};

/** An open stream that no registry has. */
export const openStreamOf = (given: Given & { readonly allowed?: number } = {}): Stream => {
  const opened = {
    progress: { of: 'log', position: positionIn(1) },
    payment: 'nothing',
    slots: { open: 1, allowed: given.allowed ?? 1 },
  } as const;
  const sink = new RecordedSink({ form: 'sse', isSlow: false, onSent: () => {} });
  return new Stream(
    randomUUID() as string as StreamId,
    streamRequest(given),
    opened,
    sink,
    NO_OWNER,
    () => 0,
  );
};

/** What a client gets of a message: its type, its position and its own members. */
export const received = (message: Message) =>
  JSON.parse(`${message.start}${message.content.text.toString()}`) as {
    readonly type: string;
    readonly position: string;
    readonly item?: { readonly news_event: { readonly id: string } };
    readonly id?: string;
    readonly problem?: { readonly code: string };
    readonly retry_after_seconds?: number | null;
  };
