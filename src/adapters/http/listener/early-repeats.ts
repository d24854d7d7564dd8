import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { RetrySeconds } from '../../../domain/limits/iteration-budget.js';

const MS = 1_000;
/** A connection is read this long before its `Retry-After`, so that a client that waits for it is never early. */
const BEFORE_MS = 100;
/** How often connections are read again because overload has ended, and how many at once. */
const WAKE_EVERY_MS = 100;
const WOKEN_AT_ONCE = 200;
/** More connections are not left unread: one that its client closes meanwhile keeps its descriptor. */
const UNREAD_MAX = 5_000;

/**
 * Connections whose last request was refused. They are not read until shortly before the `Retry-After` of the refusal is over,
 * or until overload has ended. A client that waits for `Retry-After` does not notice it. What another client sends meanwhile
 * stays in the kernel.
 *
 * States of a connection: `unread`, until the time is over; `reading`, for one iteration of the event loop, in which all is
 * read that was sent too early; `read`. At the end of overload an `unread` connection becomes `read` at once.
 */
export class EarlyRepeats {
  readonly #hasOverloadEnded: () => boolean;
  readonly #states = new WeakMap<Socket, 'unread' | 'reading' | 'read'>();
  /** Those that are `unread`, in the order of their refusals, each with the timer that ends the state. */
  readonly #unread = new Map<Socket, NodeJS.Timeout>();
  /** The number of those that are `reading`. */
  #reading = 0;
  #waking: NodeJS.Timeout | null = null;

  constructor(hasOverloadEnded: () => boolean) {
    this.#hasOverloadEnded = hasOverloadEnded;
  }

  /** Whether the request that was just read on this connection was sent too early. */
  includes(socket: Socket): boolean {
    return this.#reading > 0 && this.#states.get(socket) === 'reading';
  }

  leaveUnread(socket: Socket, seconds: RetrySeconds): void {
    if (this.#unread.has(socket) || this.#unread.size >= UNREAD_MAX) return;
    // Node reads on after each response.
    if (!this.#states.has(socket)) socket.on('resume', () => this.#keepUnread(socket));
    this.#states.set(socket, 'unread');
    socket.pause();
    const timer = setTimeout(() => void this.#readEarly(socket), seconds * MS - BEFORE_MS).unref();
    this.#unread.set(socket, timer);
    this.#waking ??= setInterval(() => this.#wakeSome(), WAKE_EVERY_MS).unref();
  }

  #keepUnread(socket: Socket): void {
    if (this.#unread.has(socket)) socket.pause();
  }

  async #readEarly(socket: Socket): Promise<void> {
    this.#unread.delete(socket);
    if (socket.destroyed) return;
    this.#states.set(socket, 'reading');
    this.#reading += 1;
    socket.resume();
    // The event loop reads all sockets in between.
    await setImmediate();
    await setImmediate();
    this.#reading -= 1;
    if (this.#states.get(socket) === 'reading') this.#states.set(socket, 'read');
  }

  #wakeSome(): void {
    let left = this.#hasOverloadEnded() ? WOKEN_AT_ONCE : 0;
    for (const [socket, timer] of this.#unread) {
      if (left-- <= 0) return;
      clearTimeout(timer);
      this.#unread.delete(socket);
      this.#states.set(socket, 'read');
      socket.resume();
    }
    if (this.#waking !== null) clearInterval(this.#waking);
    this.#waking = null;
  }
}
