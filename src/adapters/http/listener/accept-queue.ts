import { type AddressInfo, connect, Server, type Socket } from 'node:net';

/** How often the delay of the queue is measured while connections arrive. */
const EVERY_MS = 100;
/** A queue with a longer delay, in milliseconds, is emptied if its clients are gone. */
const DELAY_MAX_MS = 100;
/** Older connections count half. */
const RECENT_MAX = 40;
/** Until the next attempt to listen again, if another process took the port meanwhile. */
const RETRY_MS = 100;

export type AcceptQueueSettings = {
  readonly backlog: number;
  /** The connections that waited were reset. */
  readonly onEmptied: (delayMs: number) => void;
};

/**
 * The connections that the kernel has accepted and this process has not: up to 4 096, in the order of their arrival. Node
 * takes one of them in each iteration of the event loop, so the queue of a busy process gets long. Its clients give up, but their
 * connections and requests stay in it. The process then answers clients that are gone, while new ones join at the end.
 *
 * The delay is measured by a connection of our own, which waits in the queue like the others. If it is long, and most of the
 * clients that were accepted last are gone, the queue is emptied: the listening socket is closed, which resets what waits in
 * it, and opened again before the next iteration. To accept and close each of them would take a quarter of the time of a page.
 */
export class AcceptQueue {
  readonly #server: Server;
  readonly #settings: AcceptQueueSettings;
  readonly #address: AddressInfo;
  readonly #timer: NodeJS.Timeout;
  #probe: { readonly socket: Socket; readonly sentAt: number } | null = null;
  #hasAccepted = false;
  /** The connections that were accepted lately, and how many of them were reset by their clients. */
  #accepted = 0;
  #gone = 0;
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
      this.#count(accepted);
      return false;
    }
    accepted.destroy();
    this.#endProbe();
    this.#check(performance.now() - probe.sentAt);
    return true;
  }

  /** Before the server is closed. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#endProbe();
  }

  #measure(): void {
    const probe = this.#probe;
    if (probe !== null) this.#check(performance.now() - probe.sentAt);
    // A queue from which nothing was taken since the last measurement is empty.
    else if (this.#hasAccepted) this.#sendProbe();
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

  #check(delayMs: number): void {
    if (delayMs <= DELAY_MAX_MS || this.#gone * 2 <= this.#accepted) return;
    this.#endProbe();
    [this.#accepted, this.#gone] = [0, 0];
    // Not the `close` of an HTTP server, which also closes its idle connections.
    Server.prototype.close.call(this.#server);
    this.#listen();
    this.#settings.onEmptied(delayMs);
  }

  /** A client that is gone resets its connection when the answer arrives. */
  #count(accepted: Socket): void {
    this.#accepted += 1;
    if (this.#accepted > RECENT_MAX) [this.#accepted, this.#gone] = [this.#accepted / 2, this.#gone / 2];
    accepted.once('close', (hadError) => {
      if (hadError) this.#gone += 1;
    });
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
