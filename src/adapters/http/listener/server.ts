import cluster from 'node:cluster';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { parsedUrl } from '../../../domain/parsed-url.js';
import { type MayTakeOver, requestsWithTakeover, Takeovers, takeoverOf } from '../../fast-paths/takeover.js';
import { AcceptQueue } from './accept-queue.js';
import { beginInOrder } from './connection/pipelines.js';
import type { Connections } from './connections.js';
import type { OverloadControl } from './overload-control.js';
import { CONNECT_METHOD, responseInProgress } from './parser-errors.js';
import { type DrainLimits, drainUnread } from './unread-body.js';

/** How long requests in progress may take to end during shutdown (T8). */
const ENDING_MS = 10_000;

export type Listener = {
  readonly port: number;
  /** Accepts no new connection, lets requests in progress end, then closes every connection. */
  readonly stop: () => Promise<void>;
};

export type ListenerSettings = {
  readonly host: string;
  readonly port: number;
  /** How long a header may take to arrive, and how long a whole request. */
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** The longest time in which a client may read nothing of a response. */
  readonly unreadAnswerMs: number;
  /** How long a connection stays open after a response, for the next request. */
  readonly keepAliveMs: number;
  /** How much of a body is read after the response, so that the connection can be used again. */
  readonly drain: DrainLimits;
  readonly connections: Connections;
  readonly onParserError: (fault: Error, socket: Duplex) => Promise<void>;
  /** Prepares each response before its request is handled. */
  readonly prepare?: ((response: ServerResponse) => void) | undefined;
  /** Whether the response to a request may take the connection over (`takeover.ts`). Any other upgrade is ignored. */
  readonly mayTakeOver?: MayTakeOver;
  /** Refuses requests while this process has more of them than it can answer in time (D76). */
  readonly overload?: OverloadControl;
};

/**
 * The connections that the kernel accepts before this process has time for them; the kernel has a limit too
 * (`net.core.somaxconn`). With Node's 511, some of the clients that all resume after a restart are reset.
 */
const BACKLOG = 4_096;

/** Listens with limits tighter than Node's (T9). `hostHeader` checks the Host header instead of Node (T11). */
export async function listen(handler: RequestListener, settings: ListenerSettings): Promise<Listener> {
  let inProgress = 0;
  let queue: AcceptQueue | null = null;
  let whenIdle = () => {};
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    inProgress += 1;
    response.on('close', () => {
      inProgress -= 1;
      if (inProgress === 0) whenIdle();
      if (takeoverOf(request) === null) drainUnread(request, settings.drain);
      if (request.complete) settings.connections.completed(request.socket);
    });
    settings.prepare?.(response);
    beginInOrder(request.socket, response, () => {
      if (queue === null) begin(request, response);
      else queue.begin(request.socket, () => begin(request, response));
    });
  };
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    if (settings.overload?.refuses(request, response) === true) return;
    if (isHeaderTooLarge(request.rawHeaders)) void settings.onParserError(TOO_LARGE, request.socket);
    else if (toOriginForm(request)) handler(request, response);
    else void settings.onParserError(new Error('the request target is not a URL'), request.socket);
  };

  const takeovers = new Takeovers(handle, settings.unreadAnswerMs);
  const server = serverOf(handle, takeovers, settings, (socket) => queue?.takes(socket) === true);
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen({ port: settings.port, host: settings.host, backlog: BACKLOG }, done);
  });

  queue = queueOf(server, settings);

  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      queue?.stop();
      const closed = new Promise((done) => server.close(done));
      const idle = new Promise<void>((done) => {
        whenIdle = done;
        if (inProgress === 0) done();
      });
      const timeLimit = new Promise((done) => setTimeout(done, ENDING_MS).unref());
      await Promise.race([Promise.all([idle, takeovers.ended()]), timeLimit]);
      server.closeAllConnections();
      takeovers.destroyAll();
      await closed;
    },
  };
}

/** The queue in front of a server; null without overload control. The listening socket of a worker is its supervisor's. */
function queueOf(server: Server, { overload }: ListenerSettings): AcceptQueue | null {
  if (overload === undefined || cluster.isWorker) return null;
  return new AcceptQueue(server, {
    backlog: BACKLOG,
    onEmptied: overload.noteEmptied,
  });
}

/** A server that does not listen yet. */
function serverOf(
  handle: RequestListener,
  takeovers: Takeovers,
  settings: ListenerSettings,
  isProbe: (socket: Socket) => boolean,
): Server {
  const { mayTakeOver } = settings;
  const server = createServer(
    {
      ...(mayTakeOver && { IncomingMessage: requestsWithTakeover(mayTakeOver) }),
      headersTimeout: settings.headerTimeoutMs,
      requestTimeout: settings.requestTimeoutMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: settings.keepAliveMs,
      requireHostHeader: false,
    },
    handle,
  );
  // 0: Node drops no header. Otherwise it would drop a second Host after thousands of other headers. The size limit
  // also limits their number (T22).
  server.maxHeadersCount = 0;
  // A client that reads nothing is noticed at the first or the second timeout, so the timer gets half the time.
  server.timeout = settings.unreadAnswerMs / 2;
  server.on('timeout', (socket) => void closeUnlessAnswering(socket));
  server.on('connection', (socket) => {
    if (!isProbe(socket)) settings.connections.opened(socket);
  });
  if (mayTakeOver !== undefined) {
    server.on('upgrade', (request, socket, head) => takeovers.asked(request, socket as Socket, head));
  }
  // A request with an unknown `Expect` is handled like one without it.
  server.on('checkExpectation', handle);
  server.on('clientError', (fault, socket) => void settings.onParserError(fault, socket));
  // Node would close a `CONNECT` connection without a response. It also removes its own listeners from the socket: an
  // error without a listener would end the process.
  server.on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy());
    void settings.onParserError(Object.assign(new Error('no proxy'), { code: CONNECT_METHOD }), socket);
  });
  return server;
}

const HEADER_MAX = 16 * 1_024;
/** Up to this number of headers, the limit of Node is enough, although it counts only names and values. */
const FEW_HEADERS = 200;
const TOO_LARGE = Object.assign(new Error('too many headers'), { code: 'HPE_HEADER_OVERFLOW' });

/**
 * Whether the header has more than 16 KB in the form in which it was sent, with four more bytes for each line. Without
 * these bytes, 16 000 empty lines would be allowed.
 */
function isHeaderTooLarge(rawHeaders: readonly string[]): boolean {
  if (rawHeaders.length <= 2 * FEW_HEADERS) return false;
  let bytes = rawHeaders.length * 2;
  for (const text of rawHeaders) bytes += text.length;
  return bytes > HEADER_MAX;
}

/**
 * The connection was idle. A request that is still being handled keeps its connection open. After a pause of this process,
 * or a wave of new connections, a request may be unread yet (T17): the event loop reads the sockets first.
 */
async function closeUnlessAnswering(socket: Socket): Promise<void> {
  const { bytesRead } = socket;
  await setImmediate();
  await setImmediate();
  const isIdle = socket.bytesRead === bytesRead && responseInProgress(socket) === null;
  if (isIdle || socket.writableLength > 0) socket.destroy();
}

/** The most characters of scheme, user and host of a URL, because the parser needs quadratic time for a long host. */
const AUTHORITY_MAX = 400;

/** Reduces the target of a request to path and query. False if it is not valid. */
function toOriginForm(request: IncomingMessage): boolean {
  const target = originForm(request.url ?? '');
  if (target !== null) request.url = target;
  return target !== null;
}

/**
 * The path and query of a request target, which may be a whole URL (RFC 9112); null if it is not valid. A fragment is removed:
 * clients should not send one, and Koa would read the path in another way because of it.
 */
export function originForm(target: string): string | null {
  const end = target.indexOf('#');
  if (target.startsWith('/') || target === '*') return end === -1 ? target : target.slice(0, end);
  const path = target.indexOf('/', target.indexOf('://') + 3);
  const url = (path === -1 ? target.length : path) > AUTHORITY_MAX ? null : parsedUrl(target);
  return url === null ? null : `${url.pathname}${url.search}`;
}
