import type { Socket } from 'node:net';
import { addressGroup } from './client-address.js';

/**
 * Limits the open connections of each client address on which no valid key was sent.
 *
 * If a new connection exceeds the limit, another connection of the same address is closed: the one whose last complete
 * request is the oldest. A client with many open connections therefore loses its own idle ones.
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
    const ofGroup = this.#unproven.get(group) ?? new Set();
    if (ofGroup.size >= this.#perAddressMax) closeFirst(ofGroup);
    ofGroup.add(socket);
    this.#unproven.set(group, ofGroup);
    socket.once('close', () => this.#forget(group, socket));
  };

  /** A complete request has arrived on the connection. */
  completed(socket: Socket): void {
    if (this.#perAddressMax === 0 || this.#proven.has(socket)) return;
    const ofGroup = this.#unproven.get(addressGroup(socket.remoteAddress ?? ''));
    if (ofGroup?.delete(socket) === true) ofGroup.add(socket);
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

  #forget(group: string, socket: Socket): void {
    const ofGroup = this.#unproven.get(group);
    ofGroup?.delete(socket);
    if (ofGroup?.size === 0) this.#unproven.delete(group);
  }
}

function closeFirst(sockets: Set<Socket>): void {
  for (const socket of sockets) {
    sockets.delete(socket);
    socket.destroy();
    return;
  }
}
