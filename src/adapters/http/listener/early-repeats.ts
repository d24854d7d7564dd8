import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

const MS = 1_000;

/**
 * Connections whose last request was refused, and which are not read before the `Retry-After` of that refusal is over. A
 * client that waits so long notices nothing. What another client sends meanwhile stays in the kernel.
 *
 * A connection is `unread`, then `reading`, then `read`. What is read while it is `reading`, in the first iteration after the pause,
 * was sent too early.
 */
export class EarlyRepeats {
  readonly #states = new WeakMap<Socket, 'unread' | 'reading' | 'read'>();

  /** Whether the request that was just read on this connection was sent before the time in `Retry-After`. */
  includes(socket: Socket): boolean {
    return this.#states.get(socket) === 'reading';
  }

  leaveUnread(socket: Socket, seconds: number): void {
    // Node reads on after each response.
    if (!this.#states.has(socket)) socket.on('resume', () => this.#keepUnread(socket));
    this.#states.set(socket, 'unread');
    socket.pause();
    setTimeout(() => void this.#readAgain(socket), seconds * MS).unref();
  }

  #keepUnread(socket: Socket): void {
    if (this.#states.get(socket) === 'unread') socket.pause();
  }

  async #readAgain(socket: Socket): Promise<void> {
    if (socket.destroyed) return;
    this.#states.set(socket, 'reading');
    socket.resume();
    // The event loop reads all sockets in between.
    await setImmediate();
    await setImmediate();
    if (this.#states.get(socket) === 'reading') this.#states.set(socket, 'read');
  }
}
