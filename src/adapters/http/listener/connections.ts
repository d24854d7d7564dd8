import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { isCrowded } from '../../../domain/limits/open-files.js';
import { addressGroup } from './client-address.js';
import { responseInProgress } from './parser-errors.js';

/**
 * Limits the open connections of each client address on which no valid key was sent.
 *
 * If a new connection exceeds the limit, another connection of the same address is closed: the one whose last complete
 * request is the oldest. A client with many open connections therefore loses its own idle ones. A connection does not count
 * while a complete request waits for its answer: its key may be valid, and this process is what takes the time.
 *
 * When the process has nearly all open files that it may have, each new connection closes such a connection of any address.
 * Otherwise a process without free files could accept no customer.
 */
export class Connections {
  /** 0: no limit. */
  readonly #perAddressMax: number;
  /** By address group, in the order of the last complete request. Without a request, the time of opening counts. */
  readonly #unproven = new Map<string, Set<Socket>>();
  /** Those of all addresses, in the same order. */
  readonly #idle = new Set<Socket>();
  readonly #proven = new WeakSet<Socket>();
  readonly #openFilesMax: number | null;
  #accepted = 0;

  /** `openFilesMax`: of this process; null if it is not known. */
  constructor(perAddressMax: number, openFilesMax: number | null = null) {
    this.#perAddressMax = perAddressMax;
    this.#openFilesMax = openFilesMax;
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
    if (isCrowded(descriptorOf(socket), this.#openFilesMax)) this.#closeOldest(socket);
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
    this.#idle.add(socket);
    for (const oldest of ofGroup) {
      if (ofGroup.size <= this.#perAddressMax) return;
      // `completed` counts it again if its request waits for an answer.
      this.#forget(group, oldest);
      if (!isAnswerAwaited(oldest)) void this.#closeUnlessAsked(oldest);
    }
  }

  /** Closes the connection of any address that has gone longest without a complete request; never the new one. */
  #closeOldest(newest: Socket): void {
    for (const oldest of this.#idle) {
      if (oldest === newest) return;
      const group = addressGroup(oldest.remoteAddress ?? '');
      this.#forget(group, oldest);
      if (!isAnswerAwaited(oldest)) return void this.#closeUnlessAsked(oldest);
    }
  }

  /** After a pause of this process, a request may be unread yet (T17): the event loop reads the sockets first. */
  async #closeUnlessAsked(socket: Socket): Promise<void> {
    await setImmediate();
    await setImmediate();
    const isCounted = this.#proven.has(socket) || this.#idle.has(socket);
    if (!isCounted && !isAnswerAwaited(socket)) socket.destroy();
  }

  #forget(group: string, socket: Socket): void {
    this.#idle.delete(socket);
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

/** The number of the file; 0 if the platform does not tell. Node has no public property for it. */
const descriptorOf = (socket: Socket): number =>
  (socket as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd ?? 0;
