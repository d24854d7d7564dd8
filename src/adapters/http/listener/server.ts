import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from './connections.js';
import { answerInHand, CONNECT_METHOD } from './parser-errors.js';
import { type DrainLimits, drainUnread } from './unread-body.js';

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
  /** How long a header may take to arrive, and a whole request. */
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a caller may read nothing of an answer that waits for it. */
  readonly unreadAnswerMs: number;
  /** How much of a body is read after the answer, so that the connection can be used again. */
  readonly drain: DrainLimits;
  readonly connections: Connections;
  readonly onParserError: (fault: Error, socket: Duplex) => Promise<void>;
  /** Prepares each answer before its request is handled. */
  readonly prepare?: ((response: ServerResponse) => void) | undefined;
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
      drainUnread(request, settings.drain);
      if (request.complete) settings.connections.completed(request.socket);
    });
    settings.prepare?.(response);
    if (isOneTooMany(request.socket, response)) request.socket.destroy();
    else if (isHeaderTooLarge(request.rawHeaders)) void settings.onParserError(TOO_LARGE, request.socket);
    else if (toOriginForm(request)) handler(request, response);
    else void settings.onParserError(new Error('the request target is not a URL'), request.socket);
  };

  const server = serverOf(handle, settings);
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

/** A server that listens nowhere yet. */
function serverOf(handle: RequestListener, settings: ListenerSettings): Server {
  const server = createServer(
    {
      headersTimeout: settings.headerTimeoutMs,
      requestTimeout: settings.requestTimeoutMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    handle,
  );
  // All headers are seen, a second Host behind thousands of others too: their size bounds their number (T22).
  server.maxHeadersCount = 0;
  // The timer runs out once or twice before a caller counts as one that does not read.
  server.timeout = settings.unreadAnswerMs / 2;
  server.on('timeout', closeUnlessAnswering);
  server.on('connection', settings.connections.opened);
  // An expectation that is not known is not met, and the request is answered all the same.
  server.on('checkExpectation', handle);
  server.on('clientError', (fault, socket) => void settings.onParserError(fault, socket));
  // Node would close such a connection without a word, and takes its own listeners off it: an error that nobody listens
  // for would end the process.
  server.on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy());
    void settings.onParserError(Object.assign(new Error('no proxy'), { code: CONNECT_METHOD }), socket);
  });
  return server;
}

const HEADER_MAX = 16 * 1_024;
/** So few headers are within Node's own limit, which counts names and values alone. */
const FEW_HEADERS = 200;
const TOO_LARGE = Object.assign(new Error('too many headers'), { code: 'HPE_HEADER_OVERFLOW' });

/** The 16 KB of a header count as on the wire, where each line has four more bytes: else 16 000 empty lines would fit. */
function isHeaderTooLarge(rawHeaders: readonly string[]): boolean {
  if (rawHeaders.length <= 2 * FEW_HEADERS) return false;
  let bytes = rawHeaders.length * 2;
  for (const text of rawHeaders) bytes += text.length;
  return bytes > HEADER_MAX;
}

/** Requests of one connection that may wait for the answers before them: one packet can hold a thousand (pipelining). */
const PIPELINED_MAX = 16;
const pipelined = new WeakMap<Socket, Set<ServerResponse>>();

/** Whether too many requests of a connection wait for an answer. Nearly all callers send one at a time. */
function isOneTooMany(socket: Socket, response: ServerResponse): boolean {
  if (answerInHand(socket) === response) return false;
  const waiting = pipelined.get(socket) ?? closedWith(socket);
  waiting.add(response);
  response.once('close', () => waiting.delete(response));
  return waiting.size > PIPELINED_MAX;
}

/** Answers that wait for another one. Node tells only the answer that it writes that the connection was closed. */
function closedWith(socket: Socket): Set<ServerResponse> {
  const waiting = new Set<ServerResponse>();
  pipelined.set(socket, waiting);
  socket.once('close', () => {
    for (const response of waiting) if (response !== answerInHand(socket)) response.destroy().emit('close');
  });
  return waiting;
}

/** Nothing was read or written for a while. A request that is being worked on is no reason to close its connection. */
function closeUnlessAnswering(socket: Socket): void {
  if (answerInHand(socket) === null || socket.writableLength > 0) socket.destroy();
}

/** Scheme, user and host of a URL have no more characters: the parser needs quadratic time for a long host. */
const AUTHORITY_MAX = 400;

/** A request target may be a whole URL (RFC 9112); what follows sees only path and query. */
function toOriginForm(request: IncomingMessage): boolean {
  const { url = '' } = request;
  if (url.startsWith('/') || url === '*') return true;
  const path = url.indexOf('/', url.indexOf('://') + 3);
  if ((path === -1 ? url.length : path) > AUTHORITY_MAX || !URL.canParse(url)) return false;
  const { pathname, search } = new URL(url);
  request.url = `${pathname}${search}`;
  return true;
}
