import { randomBytes } from 'node:crypto';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { type Answer, ask } from '../service/composed.js';
import type { FakeStreams } from './fake-streams.js';

type Headers = Readonly<Record<string, string>>;

export const FORMS = ['sse', 'batch', 'websocket'] as const;
export type Form = (typeof FORMS)[number];

/** The headers of a request for a stream in each form. */
export const asking: Readonly<Record<Form, () => Headers>> = {
  sse: () => ({ Accept: 'text/event-stream' }),
  batch: () => ({ Accept: 'application/json' }),
  websocket: () => ({
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
  }),
};

/** The calls that answer with one batch (D58). */
export const BATCH_PATHS = ['/pm/v2/stream', '/pm/v2/changes'] as const;

/** The calls for streams and batches, in each form. */
export const CALLS: readonly { readonly form: Form; readonly path: (typeof BATCH_PATHS)[number] }[] = [
  ...FORMS.map((form) => ({ form, path: BATCH_PATHS[0] })),
  { form: 'batch', path: BATCH_PATHS[1] },
];

type Service = { readonly url: string };

/** The response to a request for a stream that does not open, or for a batch. */
export const askStream = (
  { url }: Service,
  form: Form,
  headers: Headers = {},
  query = '',
  path: string = BATCH_PATHS[0],
): Promise<Answer> => ask(`${url}${path}${query}`, { headers: { ...asking[form](), ...headers } });

/** Text that arrives in pieces. */
class Arriving {
  #text = '';
  readonly #checks = new Set<() => void>();

  add(piece: string): void {
    this.#text += piece;
    for (const check of this.#checks) check();
  }

  get text(): string {
    return this.#text;
  }

  until(expected: string): Promise<void> {
    return new Promise((done) => {
      const check = () => {
        if (!this.#text.includes(expected)) return;
        this.#checks.delete(check);
        done();
      };
      this.#checks.add(check);
      check();
    });
  }
}

export type EventStream = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body so far, as it was received. */
  readonly text: () => string;
  readonly bytes: () => Buffer;
  readonly until: (expected: string) => Promise<void>;
  /** Resolves when the response has ended; true if it ended properly. */
  readonly ended: Promise<boolean>;
  readonly close: () => void;
  readonly response: IncomingMessage;
};

/** Opens an event stream. */
export const eventStream = ({ url }: Service, headers: Headers, query = ''): Promise<EventStream> =>
  new Promise((done, fail) => {
    const options = { headers: { ...asking.sse(), ...headers }, agent: false };
    get(`${url}/pm/v2/stream${query}`, options, (response) => {
      const arriving = new Arriving();
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        arriving.add(chunk.toString('latin1'));
      });
      response.on('error', () => {});
      const ended = new Promise<boolean>((end) => response.once('close', () => end(response.complete)));
      done({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => arriving.text,
        bytes: () => Buffer.concat(chunks),
        until: (expected) => arriving.until(expected),
        ended,
        close: () => response.destroy(),
        response,
      });
    }).once('error', fail);
  });

export type WebSocketCaller = {
  readonly webSocket: WebSocket;
  readonly headers: IncomingHttpHeaders;
  /** The text messages so far, one a line. */
  readonly text: () => string;
  readonly until: (expected: string) => Promise<void>;
  /** The close code and its reason. */
  readonly closed: Promise<readonly [code: number, reason: string]>;
};

/** Opens a WebSocket, and waits for the stream that the service starts for it. */
export async function openWebSocket(
  service: Service,
  streams: Pick<FakeStreams, 'next'>,
  headers: Headers,
  query = '',
  options: Parameters<typeof webSocketTo>[3] = { perMessageDeflate: false },
) {
  const next = streams.next();
  const caller = await webSocketTo(service, headers, query, options);
  const stream = await next;
  await stream.started;
  return { caller, stream };
}

/** Opens a WebSocket. */
export const webSocketTo = (
  { url }: Service,
  headers: Headers,
  query = '',
  options: ConstructorParameters<typeof WebSocket>[2] = {},
): Promise<WebSocketCaller> =>
  new Promise((done, fail) => {
    const arriving = new Arriving();
    const webSocket = new WebSocket(`${url.replace('http', 'ws')}/pm/v2/stream${query}`, {
      headers,
      ...options,
    });
    let received: IncomingHttpHeaders = {};
    webSocket.on('message', (data, isBinary) => arriving.add(isBinary ? 'binary\n' : `${data}\n`));
    webSocket.once('upgrade', (response) => {
      received = response.headers;
    });
    webSocket.once('error', fail);
    const closed = new Promise<readonly [number, string]>((end) => {
      webSocket.once('close', (code, reason) => end([code, String(reason)]));
    });
    webSocket.once('open', () =>
      done({
        webSocket,
        headers: received,
        text: () => arriving.text,
        until: (expected) => arriving.until(expected),
        closed,
      }),
    );
  });
