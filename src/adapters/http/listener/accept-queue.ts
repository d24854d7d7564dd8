import { type AddressInfo, connect, Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import {
  areAbandoned,
  mayBeAbandoned,
  NONE_READ,
  type ReadLately,
  withOneMore,
} from '../../../domain/limits/abandoned-connections.js';

/** How often the wait of the queue is measured while connections arrive. */
const EVERY_MS = 100;
/** Until the next attempt to listen again, if another process took the port meanwhile. */
const RETRY_MS = 100;

export type AcceptQueueSettings = {
  readonly backlog: number;
  /** The connections that waited were reset. */
  readonly onEmptied: (waitMs: number) => void;
};

/**
 * The connections that the kernel has accepted and this process has not: up to 4 096, in the order of their arrival. Node
 * takes one of them in each iteration of the event loop, so the queue of a busy process gets long. Its clients give up, but their
 * connections and requests stay in it. The process would then answer clients that are gone, while new ones join at the end.
 *
 * The wait is measured by a connection of our own, which waits in the queue like the others. While it is long, the first request
 * of a connection is handled one iteration later: then it is known whether its client has closed it. If the queue is abandoned
 * (`domain/limits/abandoned-connections.ts`), it is emptied: the listening socket is closed, which resets what waits in it, and
 * opened again before the next iteration. To accept and close each of them would take a quarter of the time of a page.
 */
export class AcceptQueue {
  readonly #server: Server;
  readonly #settings: AcceptQueueSettings;
  readonly #address: AddressInfo;
  readonly #timer: NodeJS.Timeout;
  #probe: { readonly socket: Socket; readonly sentAt: number } | null = null;
  #hasAccepted = false;
  /** The wait that was measured last. */
  #waitMs = 0;
  /** Connections that waited long, and whose first request was not read yet. */
  readonly #waited = new WeakSet<Socket>();
  #lately: ReadLately = NONE_READ;
  #isStopped = false;

  /** `server` listens on a port. */
  constructor(server: Server, settings: AcceptQueueSettings) {
    this.#server = server;
    this.#settings = settings;
    this.#address = server.address() as AddressInfo;
    this.#timer = setInterval(() => this.#measure(), EVERY_MS).unref();
    server.on('error', () => setTimeout(() => this.#listen(), RETRY_MS).unref());
  }

  /** Whether the connection that was accepted is the one that measures. It needs no handling. */
  takes(accepted: Socket): boolean {
    const probe = this.#probe;
    if (probe === null || !isOtherEnd(accepted, probe.socket)) {
      this.#hasAccepted = true;
      if (mayBeAbandoned(this.#waitMs)) this.#waited.add(accepted);
      return false;
    }
    accepted.destroy();
    this.#endProbe();
    this.#note(performance.now() - probe.sentAt);
    return true;
  }

  /** Begins to handle a request: at once, or when it is known that its client has not closed the connection. */
  begin(socket: Socket, begin: () => void): void {
    if (this.#waited.delete(socket)) void this.#beginIfPresent(socket, begin);
    else begin();
  }

  /** Before the server is closed. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#endProbe();
  }

  /** The event loop reads the end of a connection one iteration after the request before it. */
  async #beginIfPresent(socket: Socket, begin: () => void): Promise<void> {
    await setImmediate();
    await setImmediate();
    const isAbandoned = socket.destroyed || socket.writableEnded;
    this.#lately = withOneMore(this.#lately, isAbandoned);
    if (!isAbandoned) begin();
  }

  #measure(): void {
    const probe = this.#probe;
    if (probe !== null) this.#note(performance.now() - probe.sentAt);
    else if (this.#hasAccepted) this.#sendProbe();
    // Nothing was taken from the queue since the last measurement, so it is empty.
    else this.#waitMs = 0;
  }

  #sendProbe(): void {
    this.#hasAccepted = false;
    const socket = connect(reachable(this.#address));
    const probe = { socket, sentAt: performance.now() };
    this.#probe = probe;
    socket
      .on('error', () => {})
      .on('close', () => {
        if (this.#probe === probe) this.#probe = null;
      });
  }

  #note(waitMs: number): void {
    this.#waitMs = waitMs;
    if (!areAbandoned(waitMs, this.#lately)) return;
    this.#endProbe();
    this.#lately = NONE_READ;
    // Not the `close` of an HTTP server, which also closes its idle connections.
    Server.prototype.close.call(this.#server);
    this.#listen();
    this.#settings.onEmptied(waitMs);
  }

  #listen(): void {
    if (this.#isStopped || this.#server.listening) return;
    const { address: host, port } = this.#address;
    this.#server.listen({ port, host, backlog: this.#settings.backlog });
  }

  #endProbe(): void {
    this.#probe?.socket.destroy();
    this.#probe = null;
  }
}

const isOtherEnd = (accepted: Socket, { localAddress, localPort }: Socket): boolean =>
  accepted.remotePort === localPort && accepted.remoteAddress?.replace('::ffff:', '') === localAddress;

/** An address at which a process reaches what it listens on. */
function reachable({ address, port }: AddressInfo): { readonly host: string; readonly port: number } {
  if (address === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: address === '::' ? '::1' : address, port };
}
