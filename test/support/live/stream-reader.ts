import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestWithTls } from 'node:https';

/** A message of a stream (D49), as far as tests read it. */
export type StreamMessage = {
  readonly type: string;
  readonly position: string;
  readonly item?: { readonly news_event: { readonly id: string } };
  /** Of a retraction. */
  readonly id?: string;
  readonly problem?: { readonly status: number; readonly code: string };
  readonly retry_after_seconds?: number | null;
};

export type StreamReader = {
  /** The status of the response. Only 200 is a stream. */
  readonly status: number;
  /** The code of the problem document; null for a stream. */
  readonly refusal: string | null;
  readonly messages: readonly StreamMessage[];
  /** The last `retry:` in milliseconds; null if there was none. */
  readonly retryMs: () => number | null;
  /** The ids of the items so far. */
  readonly ids: () => readonly string[];
  /** The position of the last message. */
  readonly position: () => string;
  /** Resolves with the first message of a type, also an earlier one. Rejects if the stream is closed without one. */
  readonly message: (type: string) => Promise<StreamMessage>;
  /** Resolves when it has this number of items. Rejects if the stream is closed before. */
  readonly items: (count: number) => Promise<void>;
  readonly isClosed: () => boolean;
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>;
  readonly close: () => void;
};

export type StreamOptions = {
  /** `after`, `since` and filters, like `?after=…`. */
  readonly query?: string;
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address of the client. */
  readonly localAddress?: string;
  /** The certificate of an https server of the tests. */
  readonly ca?: string;
};

const PATH = '/pm/v2/stream';

/** Opens a stream with Server-Sent Events, on a connection of its own. Resolves when the service has answered. */
export async function readStream(
  url: string,
  key: string,
  { query = '', lastEventId, headers = {}, localAddress = '127.0.0.1', ...tls }: StreamOptions = {},
): Promise<StreamReader> {
  const sending = (url.startsWith('https:') ? requestWithTls : request)(`${url}${PATH}${query}`, {
    agent: false,
    localAddress,
    ...tls,
    headers: {
      Accept: 'text/event-stream',
      'X-API-Key': key,
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      ...headers,
    },
  });
  sending.end();
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  sending.on('error', () => {}); // Followed by `close` of the response.
  return reading(response);
}

async function reading(response: IncomingMessage): Promise<StreamReader> {
  const { statusCode: status = 0 } = response;
  const messages: StreamMessage[] = [];
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const check of [...waiting]) check();
  };
  let retryMs: number | null = null;
  const parser = eventParser((message, retry) => {
    messages.push(withIdOnly(message));
    retryMs = retry ?? retryMs;
    notify();
  });
  let body = '';
  let isClosed = false;
  response.setEncoding('utf8').on('data', (text: string) => {
    if (status === 200) parser(text);
    else body += text;
  });
  const closed = new Promise<void>((done) => {
    response
      .on('error', () => {})
      .once('close', () => {
        isClosed = true;
        notify();
        done();
      });
  });
  if (status !== 200) await closed;
  /** Resolves when `find` returns a value. */
  const until = <Found>(what: string, find: () => Found | undefined): Promise<Found> =>
    new Promise((done, fail) => {
      const check = () => {
        const found = find();
        if (found === undefined && !isClosed) return;
        waiting.delete(check);
        if (found === undefined)
          fail(new Error(`the stream (${status}) was closed without ${what}: ${summaryOf(messages)}`));
        else done(found);
      };
      waiting.add(check);
      check();
    });
  const ids = () => messages.flatMap(({ item }) => (item === undefined ? [] : [item.news_event.id]));
  return {
    status,
    refusal: status === 200 ? null : (JSON.parse(body) as { readonly code: string }).code,
    messages,
    retryMs: () => retryMs,
    ids,
    position: () => messages.at(-1)?.position ?? '',
    message: (type) => until(`a message of type ${type}`, () => messages.find((one) => one.type === type)),
    items: async (count) =>
      void (await until(`${count} items`, () => (ids().length >= count ? true : undefined))),
    isClosed: () => isClosed,
    closed,
    close: () => response.destroy(),
  };
}

/** Thousands of readers cannot keep whole items. */
const withIdOnly = ({ item, ...message }: StreamMessage): StreamMessage =>
  item === undefined ? message : { ...message, item: { news_event: { id: item.news_event.id } } };

const summaryOf = (messages: readonly StreamMessage[]): string =>
  messages
    .slice(-3)
    .map(({ type, problem }) => `${type} ${problem?.code ?? ''}`)
    .join(', ');

/** Calls `take` with the message of each event, and with its `retry:` in milliseconds. */
function eventParser(take: (message: StreamMessage, retryMs: number | null) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const fields = new Map(event.split('\n').map((line) => fieldOf(line)));
      const retry = fields.get('retry');
      take(JSON.parse(fields.get('data') ?? '') as StreamMessage, retry === undefined ? null : Number(retry));
    }
  };
}

function fieldOf(line: string): readonly [string, string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
