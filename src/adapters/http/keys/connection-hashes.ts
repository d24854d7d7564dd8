import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../../../application/limits/admit-request.js';
import type { HashKey } from '../../../application/ports/ids.js';
import type { KeyFormat, KeyHash } from '../../../domain/keys/key-value.js';

/** What was sent as a key on a connection, and its hash. */
export type SentKey = {
  readonly credential: string;
  readonly hash: KeyHash;
  /** Whether a request with it was admitted before, on whichever connection: then the key exists. */
  wasAdmitted: boolean;
};

const ADMITTED_MAX = 100_000;

/**
 * A connection mostly sends one key, over and over: its hash is worked out once. What is remembered goes with the
 * connection, in whose buffers the key is anyway.
 */
export class ConnectionHashes {
  readonly #hashKey: HashKey;
  readonly #last = new WeakMap<Socket, SentKey>();
  readonly #admitted = new LRUCache<KeyHash, true>({ max: ADMITTED_MAX });

  constructor(hashKey: HashKey) {
    this.#hashKey = hashKey;
  }

  /** Null for what cannot be a key at all. */
  of(socket: Socket, credential: string, keyFormat: KeyFormat): SentKey | null {
    const last = this.#last.get(socket);
    if (last?.credential === credential) return last;
    const value = keyFormat.recognise(credential);
    if (value === undefined) return null;
    const hash = this.#hashKey(value);
    const sent = { credential, hash, wasAdmitted: this.#admitted.get(hash) === true };
    this.#last.set(socket, sent);
    return sent;
  }

  /** What was decided of a request with this key. Whoever holds one that was revoked is a stranger again. */
  decided(sent: SentKey, admission: Admission): void {
    if (admission.admitted === sent.wasAdmitted) return;
    if (admission.admitted) this.#admitted.set(sent.hash, true);
    else if (admission.key === null || admission.refusal.refused === 'key_revoked')
      this.#admitted.delete(sent.hash);
    else return;
    sent.wasAdmitted = admission.admitted;
  }
}
