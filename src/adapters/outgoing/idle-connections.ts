import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';

/** At most so many connections wait for a further request, over all receivers and for one. */
const IDLE_MAX = 256;
const IDLE_MAX_PER_ORIGIN = 4;
/** Receivers close idle connections after 5 s or more. */
const IDLE_MS = 4_000;

/**
 * Keeps connections for further requests to the same origin. `maxTotalSockets` of Node does not fit: idle connections of other
 * origins count, and a request beyond it waits instead of replacing one of them.
 */
export class IdleConnections extends Agent {
  constructor() {
    super({ keepAlive: true, maxFreeSockets: IDLE_MAX_PER_ORIGIN, timeout: IDLE_MS });
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const idle = Object.values(this.freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0);
    if (idle >= IDLE_MAX) return false;
    // The types of Node say void. It is false for a connection that the receiver is about to close.
    return (super.keepSocketAlive(socket) as unknown) !== false;
  }
}
