import { type AddressInfo, connect, Server, type Socket } from 'node:net';

/** How often the delay of the queue is measured while connections arrive. */
const EVERY_MS = 100;
/** Until the next attempt to listen again, if another process took the port meanwhile. */
const RETRY_MS = 100;

export type AcceptQueueSettings = {
  readonly backlog: number;
  /** The longest delay, in milliseconds; asked at each measurement. */
  readonly delayMaxMs: () => number;
  /** The connections that waited were reset. */
  readonly onEmptied: (delayMs: number) => void;
};

/**
 * The connections that the kernel has accepted and this process has not: up to 4 096, in the order of their arrival. Node
 * takes one of them in each iteration of the event loop, so that the queue of a busy process gets old: its clients give up, and
 * their requests, which are still in it, would be answered to nobody, for as long as new clients join the queue.
 *
 * The delay is measured by a connection of our own, which waits in the queue like the others. Beyond the limit the queue is
 * emptied: the listening socket is closed, which resets what waits in it, and opened again before the next iteration. To accept
 * and close each of them would take a quarter of the time of a page.
 */
export class AcceptQueue {
  readonly #server: Server;
  readonly #settings: AcceptQueueSettings;
  readonly #address: AddressInfo;
  readonly #timer: NodeJS.Timeout;
  #probe: { readonly socket: Socket; readonly sentAt: number } | null = null;
  #hasAccepted = false;
  #isStopped = false;

  /** `server` listens on a port. */
  constructor(server: Server, settings: AcceptQueueSettings) {
    this.#server = server;
    this.#settings = settings;
    this.#address = server.address() as AddressInfo;
    this.#timer = setInterval(() => this.#measure(), EVERY_MS).unref();
    server.on('error', () => setTimeout(() => this.#listen(), RETRY_MS));
  }

  /** Whether the connection that was accepted is the one that measures. It needs no handling. */
  takes(accepted: Socket): boolean {
    this.#hasAccepted = true;
    const probe = this.#probe;
    if (probe === null || accepted.remotePort !== probe.socket.localPort) return false;
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
    const socket = connect(reachable(this.#address)).on('error', () => this.#endProbe());
    this.#probe = { socket, sentAt: performance.now() };
  }

  #check(delayMs: number): void {
    if (delayMs <= this.#settings.delayMaxMs()) return;
    this.#endProbe();
    // Not the `close` of an HTTP server, which also closes its idle connections.
    Server.prototype.close.call(this.#server);
    this.#listen();
    this.#settings.onEmptied(delayMs);
  }

  #listen(): void {
    if (this.#isStopped) return;
    const { address: host, port } = this.#address;
    this.#server.listen({ port, host, backlog: this.#settings.backlog });
  }

  #endProbe(): void {
    this.#probe?.socket.destroy();
    this.#probe = null;
  }
}

/** An address at which a process reaches what it listens on. */
function reachable({ address, port }: AddressInfo): { readonly host: string; readonly port: number } {
  if (address === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: address === '::' ? '::1' : address, port };
}
