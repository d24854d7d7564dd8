import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { responseInProgress } from './parser-errors.js';

/** The connection of a request that asks for another protocol. */
export type Upgrade = {
  readonly socket: Socket;
  /** Takes the connection over: the response is not written any more. Returns the bytes that followed the request. */
  readonly accept: () => Buffer;
  /** The accepted connection is closed: the request ends. */
  readonly closed: () => void;
};

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Null for a request without upgrade, or with one that this service does not have. */
export const upgradeOf = (request: IncomingMessage): Upgrade | null => upgrades.get(request) ?? null;

/**
 * With a listener for `upgrade`, Node passes it every request with an `Upgrade` header: for example those of clients that
 * offer HTTP/2 on each request. Node asks `request.upgrade` first. For requests that `mayUpgrade` does not take, it is
 * false, so that Node handles them as it does without a listener.
 */
export const upgradingRequests = (mayUpgrade: (request: IncomingMessage) => boolean) =>
  class UpgradingRequest extends IncomingMessage {
    #isAsked = false;

    get upgrade(): boolean {
      return this.#isAsked && (this.method === 'CONNECT' || mayUpgrade(this));
    }

    set upgrade(asked: boolean) {
      // The constructor of the base class assigns it before this object has its fields.
      if (#isAsked in this) this.#isAsked = asked;
    }
  };

/** How long a client may take to read a refusal and close the connection. */
const LINGER_MS = 1_000;

/**
 * Handles requests for an upgrade like any other request (T26): the handler refuses with a normal response, after which
 * the connection closes, or accepts the upgrade. `timeoutMs` is the time limit of a connection (`server.timeout`).
 */
export class Upgrades {
  readonly #handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #timeoutMs: number;
  readonly #sockets = new Set<Socket>();

  constructor(handle: (request: IncomingMessage, response: ServerResponse) => void, timeoutMs: number) {
    this.#handle = handle;
    this.#timeoutMs = timeoutMs;
  }

  /** The listener of `upgrade`. Node has removed its own listeners from the socket. */
  readonly asked = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    this.#sockets.add(socket);
    socket
      .once('close', () => this.#sockets.delete(socket))
      .on('error', () => socket.destroy())
      // The time limit of the server is still set. A client that reads nothing is noticed by it.
      .on('timeout', () => {
        if (socket.writableLength > 0) socket.destroy();
      });
    // The responses to earlier requests would be written between the frames.
    if (responseInProgress(socket) !== null) return void socket.destroy();
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => closeAfterResponse(response, socket));
    upgrades.set(request, {
      socket,
      accept: () => {
        response.detachSocket(socket);
        // The new owner switches the time limit off when it takes the connection.
        process.nextTick(() => socket.setTimeout(this.#timeoutMs));
        return head;
      },
      closed: () => void response.destroy().emit('close'),
    });
    this.#handle(request, response);
  };

  /** `closeAllConnections` does not close these. */
  readonly destroyAll = (): void => {
    for (const socket of this.#sockets) socket.destroy();
  };
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
  process.nextTick(() => response.destroy().emit('close'));
}
