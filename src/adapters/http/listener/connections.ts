import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { addressGroup } from './client-address.js';
import { responseInProgress } from './parser-errors.js';

/**
 * Limits the open connections of each client address on which no valid key was sent.
 *
 * If a new connection exceeds the limit, another connection of the same address is closed: the one whose last complete
 * request is the oldest. A client with many open connections therefore loses its own idle ones. A connection does not count
 * while a complete request waits for its answer: its key may be valid, and this process is what takes the time.
 */
export class Connections {
  /** 0: no limit. */
  readonly #perAddressMax: number;
  /** By address group, in the order of the last complete request. Without a request, the time of opening counts. */
  readonly #unproven = new Map<string, Set<Socket>>();
  readonly #proven = new WeakSet<Socket>();
  #accepted = 0;

  constructor(perAddressMax: number) {
    this.#perAddressMax = perAddressMax;
  }

  /** The number of connections that were accepted since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  /** A connection was accepted. */
  readonly opened = (socket: Socket): void => {
    this.#accepted += 1;
    if (this.#perAddressMax === 0) return;
    const group = addressGroup(socket.remoteAddress ?? '');
    this.#count(group, socket);
    socket.once('close', () => this.#forget(group, socket));
  };

  /** A complete request was answered on the connection. */
  completed(socket: Socket): void {
    if (this.#perAddressMax === 0 || this.#proven.has(socket) || socket.destroyed) return;
    const group = addressGroup(socket.remoteAddress ?? '');
    this.#forget(group, socket);
    this.#count(group, socket);
  }

  /** A valid key was sent on the connection, so it no longer counts. */
  prove(socket: Socket): void {
    if (this.#proven.has(socket)) return;
    this.#proven.add(socket);
    this.#forget(addressGroup(socket.remoteAddress ?? ''), socket);
  }

  /** Whether a valid key was sent on the connection. */
  isProven(socket: Socket): boolean {
    return this.#proven.has(socket);
  }

  /** Counts a connection as the one with the latest request, and closes another one if there are too many. */
  #count(group: string, socket: Socket): void {
    const ofGroup = this.#unproven.get(group) ?? new Set();
    this.#unproven.set(group, ofGroup);
    ofGroup.add(socket);
    for (const oldest of ofGroup) {
      if (ofGroup.size <= this.#perAddressMax) return;
      // `completed` counts it again if its request waits for an answer.
      ofGroup.delete(oldest);
      if (!isAnswerAwaited(oldest)) void this.#closeUnlessAsked(group, oldest);
    }
  }

  /** After a pause of this process, a request may be unread yet (T17): the event loop reads the sockets first. */
  async #closeUnlessAsked(group: string, socket: Socket): Promise<void> {
    await setImmediate();
    await setImmediate();
    const isCounted = this.#proven.has(socket) || this.#unproven.get(group)?.has(socket) === true;
    if (!isCounted && !isAnswerAwaited(socket)) socket.destroy();
  }

  #forget(group: string, socket: Socket): void {
    const ofGroup = this.#unproven.get(group);
    ofGroup?.delete(socket);
    if (ofGroup?.size === 0) this.#unproven.delete(group);
  }
}

/** Whether a request has arrived whose response has not begun. A client that reads no response is not spared. */
function isAnswerAwaited(socket: Socket): boolean {
  const response = responseInProgress(socket);
  return response?.req.complete === true && !response.headersSent;
}
