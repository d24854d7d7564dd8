import type { Socket } from 'node:net';
import type { HashKey } from '../../../application/ports/ids.js';
import type { KeyFormat, KeyHash } from '../../../domain/keys/key-value.js';

/** What was sent as a key on a connection, and its hash. */
export type SentKey = {
  readonly credential: string;
  readonly hash: KeyHash;
  /** Whether a request with it was admitted on this connection: then the key exists. */
  wasAdmitted: boolean;
};

/**
 * A connection mostly sends one key, over and over: its hash is worked out once. What is remembered goes with the
 * connection, in whose buffers the key is anyway.
 */
export class ConnectionHashes {
  readonly #hashKey: HashKey;
  readonly #last = new WeakMap<Socket, SentKey>();

  constructor(hashKey: HashKey) {
    this.#hashKey = hashKey;
  }

  /** Null for what cannot be a key at all. */
  of(socket: Socket, credential: string, keyFormat: KeyFormat): SentKey | null {
    const last = this.#last.get(socket);
    if (last?.credential === credential) return last;
    const value = keyFormat.recognise(credential);
    if (value === undefined) return null;
    const sent = { credential, hash: this.#hashKey(value), wasAdmitted: false };
    this.#last.set(socket, sent);
    return sent;
  }
}
