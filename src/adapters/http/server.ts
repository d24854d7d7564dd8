import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** The code of a request to be a proxy, which Node keeps apart from all others. */
export const CONNECT_METHOD = 'CONNECT_METHOD';

/** How long requests in hand may take to end, once no new ones are taken (T8). */
const ENDING_MS = 10_000;

export type Listener = {
  readonly port: number;
  /** Takes no new connection, lets requests in hand end, then closes every connection. */
  readonly stop: () => Promise<void>;
};

export type ListenerSettings = {
  readonly host: string;
  readonly port: number;
  /** How long a whole request may take to arrive. */
  readonly requestTimeoutMs: number;
  readonly onParserError: (fault: Error, socket: Duplex) => Promise<void>;
};

/** Listens with limits tighter than Node's (T9); the Host header is ours to check (T11). */
export async function listen(handler: RequestListener, settings: ListenerSettings): Promise<Listener> {
  let inHand = 0;
  let whenIdle = () => {};
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    inHand += 1;
    response.on('close', () => {
      inHand -= 1;
      if (inHand === 0) whenIdle();
    });
    if (toOriginForm(request)) handler(request, response);
    else void settings.onParserError(new Error('the request target is not a URL'), request.socket);
  };

  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: settings.requestTimeoutMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    handle,
  );
  // An expectation that is not known is not met, and the request is answered all the same.
  server.on('checkExpectation', handle);
  server.on('clientError', (fault, socket) => void settings.onParserError(fault, socket));
  // Node would close such a connection without a word.
  server.on('connect', (_, socket) => {
    void settings.onParserError(Object.assign(new Error('no proxy'), { code: CONNECT_METHOD }), socket);
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(settings.port, settings.host, done);
  });

  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = new Promise((done) => server.close(done));
      const idle = new Promise<void>((done) => {
        whenIdle = done;
        if (inHand === 0) done();
      });
      const patience = new Promise((done) => setTimeout(done, ENDING_MS).unref());
      await Promise.race([idle, patience]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A request target may be a whole URL (RFC 9112); what follows sees only path and query. */
function toOriginForm(request: IncomingMessage): boolean {
  const { url = '' } = request;
  if (url.startsWith('/') || url === '*') return true;
  if (!URL.canParse(url)) return false;
  const { pathname, search } = new URL(url);
  request.url = `${pathname}${search}`;
  return true;
}
