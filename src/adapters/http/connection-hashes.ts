import type { Socket } from 'node:net';
import type { HashKey } from '../../application/ports/ids.js';
import type { KeyFormat, KeyHash } from '../../domain/key-value.js';

/**
 * A connection mostly sends one key, over and over: its hash is worked out once. What is remembered goes with the
 * connection, in whose buffers the key is anyway.
 */
export class ConnectionHashes {
  readonly #hashKey: HashKey;
  readonly #last = new WeakMap<Socket, { readonly credential: string; readonly hash: KeyHash }>();

  constructor(hashKey: HashKey) {
    this.#hashKey = hashKey;
  }

  /** Null for what cannot be a key at all. */
  of(socket: Socket, credential: string, keyFormat: KeyFormat): KeyHash | null {
    const last = this.#last.get(socket);
    if (last?.credential === credential) return last.hash;
    const value = keyFormat.recognise(credential);
    if (value === undefined) return null;
    const hash = this.#hashKey(value);
    this.#last.set(socket, { credential, hash });
    return hash;
  }
}
