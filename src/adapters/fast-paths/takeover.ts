// Fast path. Gain: an open event stream keeps 4.6 KB of heap instead of 16 KB, because nothing of HTTP is kept for it (2026-11-22,
// `npm run bench:live`). Delete it when a response of Node can give its connection away; a stream then ends like any response.
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { responseInProgress } from '../http/listener/parser-errors.js';

/** The connection of a request whose response may take it over: an event stream, or another protocol. */
export type Takeover = {
  readonly socket: Socket;
  /** Whether the client asked for another protocol (`Connection: upgrade`). */
  readonly isUpgradeAsked: boolean;
  /** When its handler was called, by `performance.now()`. */
  readonly askedAt: number;
  /**
   * Takes the connection over. What the response has written stays; nothing more of it is written, and the request has
   * ended: nothing of HTTP is kept for the connection. Returns the bytes that followed the request.
   */
  readonly accept: () => Buffer;
  /** The client is to send nothing more: input is read and discarded, so that the end of the connection is noticed. */
  readonly ignoreInput: () => void;
};

/** Whether the response to a request may take the connection over. */
export type MayTakeOver = (request: IncomingMessage, isUpgradeAsked: boolean) => boolean;

const takeovers = new WeakMap<IncomingMessage, Takeover>();

/** Null for a request whose connection remains one of HTTP. */
export const takeoverOf = (request: IncomingMessage): Takeover | null => takeovers.get(request) ?? null;

/**
 * Node hands over the connection of each request whose `upgrade` is true, and then keeps nothing of HTTP for it. That saves
 * memory, because thousands of streams stay open for hours. By default, Node would set `upgrade` for every request with an
 * `Upgrade` header, for example those of clients that offer HTTP/2 on each request. Here `mayTakeOver` decides instead.
 */
export const requestsWithTakeover = (mayTakeOver: MayTakeOver) =>
  class RequestWithTakeover extends IncomingMessage {
    #isAsked = false;
    #isTaken: boolean | null = null;

    get isUpgradeAsked(): boolean {
      return this.#isAsked;
    }

    /** Node reads it first when the headers are complete. */
    get upgrade(): boolean {
      this.#isTaken ??= this.method === 'CONNECT' ? this.#isAsked : mayTakeOver(this, this.#isAsked);
      return this.#isTaken;
    }

    set upgrade(asked: boolean) {
      // The constructor of the base class assigns it before this object has its fields, and the server assigns what it read.
      if (#isTaken in this && this.#isTaken === null) this.#isAsked = asked;
    }
  };

const NOTHING = Buffer.alloc(0);
/** How long a client may take to read a refusal and close the connection. */
const LINGER_MS = 1_000;

/**
 * As shares of the time within which a client that reads nothing is noticed. All connections are looked at this often; one with
 * unread data then gets this time limit. Node starts the limit again if the client has read something since. Its first
 * comparison is with the size of the write, so that a client that reads nothing is noticed after two limits at the latest.
 */
const LOOK_EVERY_SHARE = 0.1;
const UNREAD_LIMIT_SHARE = 0.45;

/**
 * Handles the requests of `requestsWithTakeover` like any other request (T26): the handler answers with a normal response,
 * after which the connection closes, or takes the connection over.
 */
export class Takeovers {
  readonly #handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #unreadMs: number;
  readonly #sockets = new Set<Socket>();
  /** Those that were taken over. */
  readonly #taken = new Set<Socket>();
  readonly #discard: (this: Socket) => void;
  #timer: NodeJS.Timeout | undefined;
  #whenNone = () => {};

  /** A client that reads nothing is noticed within `unreadMs`. */
  constructor(handle: (request: IncomingMessage, response: ServerResponse) => void, unreadMs: number) {
    this.#handle = handle;
    this.#unreadMs = unreadMs;
    this.#discard = discarding(unreadMs);
  }

  /** The listener of `upgrade`. Node has removed its own listeners from the socket. */
  readonly asked = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    this.#sockets.add(socket);
    socket
      .on('close', () => this.#closed(socket))
      .on('error', destroy)
      .on('timeout', destroyIfUnread);
    // Without another protocol nothing may follow. Unread, it would hide that the client closes the connection.
    if (!isUpgradeAsked(request)) this.#ignoreInput(socket);
    this.#begin(request, socket, head);
  };

  /** Resolves when no connection is taken over, or being decided on. */
  readonly ended = (): Promise<void> =>
    new Promise((done) => {
      this.#whenNone = done;
      if (this.#sockets.size === 0) done();
    });

  /** `closeAllConnections` does not close these. */
  readonly destroyAll = (): void => {
    for (const socket of this.#sockets) socket.destroy();
  };

  #ignoreInput(socket: Socket): void {
    socket.on('data', this.#discard).on('end', destroy);
  }

  #closed(socket: Socket): void {
    this.#sockets.delete(socket);
    this.#taken.delete(socket);
    if (this.#taken.size === 0) this.#stopLooking();
    if (this.#sockets.size === 0) this.#whenNone();
  }

  /**
   * Only connections with unread data have a time limit, because Node restarts a limit with each write, and that takes a part
   * of the time of the write.
   */
  #limitUnread(socket: Socket): void {
    if (socket.destroyed) return;
    socket.setTimeout(0);
    this.#taken.add(socket);
    const limitMs = this.#unreadMs * UNREAD_LIMIT_SHARE;
    this.#timer ??= setInterval(() => {
      for (const each of this.#taken) {
        const isUnread = each.writableLength > 0;
        // Switched off here, because a connection that is written to often never reaches the end of its limit.
        if (isUnread !== Boolean(each.timeout)) each.setTimeout(isUnread ? limitMs : 0);
      }
    }, this.#unreadMs * LOOK_EVERY_SHARE).unref();
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** After the responses to earlier requests on the connection: they would be written into this one. */
  #begin(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // An earlier response was the last one on the connection (RFC 9112, 9.6).
    if (!socket.writable) return;
    const earlier = responseInProgress(socket);
    if (earlier !== null) return void earlier.once('close', () => this.#begin(request, socket, head));
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    const refused = () => closeAfterResponse(response, socket);
    response.once('finish', refused);
    takeovers.set(request, {
      socket,
      isUpgradeAsked: isUpgradeAsked(request),
      askedAt: performance.now(),
      accept: () => {
        response.off('finish', refused).detachSocket(socket);
        process.nextTick(() => {
          this.#limitUnread(socket);
          // Koa listens on the socket too, until the response has finished.
          response.emit('finish');
          closeResponse(response);
        });
        return head;
      },
      ignoreInput: () => {
        if (isUpgradeAsked(request)) this.#ignoreInput(socket);
      },
    });
    this.#handle(request, response);
  }
}

const isUpgradeAsked = (request: IncomingMessage): boolean =>
  (request as { readonly isUpgradeAsked?: boolean }).isUpgradeAsked === true;

/**
 * Discards what a client sends that should send nothing. Input restarts the time limit of the connection again and again,
 * so what is unread at that moment gets its own limit.
 */
function discarding(unreadMs: number): (this: Socket) => void {
  const limited = new WeakSet<Socket>();
  return function discard() {
    if (this.writableLength === 0 || limited.has(this)) return;
    limited.add(this);
    const timer = setTimeout(() => this.destroy(), unreadMs).unref();
    if (!this.writable) return;
    this.write(NOTHING, () => {
      clearTimeout(timer);
      limited.delete(this);
    });
  };
}

/** One function for all connections. The emitter calls a listener with itself as `this`. */
function destroy(this: Socket): void {
  this.destroy();
}

/**
 * At the end of a time limit. After a pause of this process, the event loop first writes what the client can take (T17). The
 * limit starts again if that was anything: Node does not start it by itself.
 */
async function destroyIfUnread(this: Socket): Promise<void> {
  const unread = this.writableLength;
  if (unread === 0) return;
  await setImmediate();
  await setImmediate();
  if (this.writableLength === unread) this.destroy();
  else this.setTimeout(this.timeout ?? 0);
}

/**
 * Reads and discards what the client still sends: a connection that is closed with unread bytes is reset, and the client
 * may lose the response.
 */
function closeAfterResponse(response: ServerResponse, socket: Socket): void {
  response.detachSocket(socket);
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  closeResponse(response);
}

/**
 * Ends a response that has no connection, or no longer has one, so that it emits `close` once: since Node 24 `destroy`
 * emits it, before Node 24 nothing does.
 */
export function closeResponse(response: ServerResponse): void {
  let isClosed = false;
  response.once('close', () => {
    isClosed = true;
  });
  response.destroy();
  process.nextTick(() => {
    if (!isClosed) response.emit('close');
  });
}
