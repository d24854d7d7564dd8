import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../../../application/limits/admit-request.js';
import type { HashKey } from '../../../application/ports/ids.js';
import type { KeyFormat, KeyHash } from '../../../domain/keys/key-value.js';
import type { Connections } from '../listener/connections.js';
import { credentialOf, type KeyHeaders } from './credential.js';

/** A key that was sent on a connection, as all behind the edge know it. */
export type SentKey = {
  readonly hash: KeyHash;
  /** Whether a request with it was admitted before, on whichever connection: then the key exists. */
  wasAdmitted: boolean;
  /** To be called with what was decided of each request with it. */
  readonly decided: (admission: Admission) => void;
};

/** `malformed` is a value that no key can have (D17); null stands for no key at all. */
export type Sent = SentKey | 'malformed' | null;

type Last = { readonly credential: string; readonly key: SentKey };

type SentKeysParts = {
  readonly hashKey: HashKey;
  readonly keyFormat: KeyFormat;
  readonly queryKeyAllowed: boolean;
  readonly connections: Connections;
};

const ADMITTED_MAX = 100_000;

/**
 * Chooses, recognises and hashes the key of a request. A connection mostly sends one key, over and over: it is hashed
 * once. What is remembered goes with the connection, in whose buffers the key is anyway.
 */
export class SentKeys {
  readonly #parts: SentKeysParts;
  readonly #last = new WeakMap<Socket, Last>();
  // By size: a cache by number would allocate all its places at once.
  readonly #admitted = new LRUCache<KeyHash, true>({ maxSize: ADMITTED_MAX, sizeCalculation: () => 1 });

  constructor(parts: SentKeysParts) {
    this.#parts = parts;
  }

  of(socket: Socket, headers: KeyHeaders, querystring: string): Sent {
    const { keyFormat, queryKeyAllowed, hashKey } = this.#parts;
    const credential = credentialOf(headers, querystring, keyFormat, queryKeyAllowed);
    if (credential === null) return null;
    const last = this.#last.get(socket);
    if (last?.credential === credential) return last.key;
    const value = keyFormat.recognise(credential);
    if (value === undefined) return 'malformed';
    const key = this.#sentKey(socket, hashKey(value));
    this.#last.set(socket, { credential, key });
    return key;
  }

  #sentKey(socket: Socket, hash: KeyHash): SentKey {
    let isProven = false;
    const key = {
      hash,
      wasAdmitted: this.#admitted.get(hash) === true,
      decided: (admission: Admission) => {
        if (!isProven && isOfKey(admission)) {
          isProven = true;
          this.#parts.connections.prove(socket); // The connection is no stranger's any more.
        }
        if (admission.admitted !== key.wasAdmitted) this.#changed(key, admission);
      },
    };
    return key;
  }

  /** Whoever holds a key that was revoked is a stranger again. */
  #changed(key: { readonly hash: KeyHash; wasAdmitted: boolean }, admission: Admission): void {
    if (admission.admitted) this.#admitted.set(key.hash, true);
    else if (isOfKey(admission)) return;
    else this.#admitted.delete(key.hash);
    key.wasAdmitted = admission.admitted;
  }
}

/** Whether the key exists and has not been revoked. */
const isOfKey = (admission: Admission): boolean =>
  admission.admitted || (admission.key !== null && admission.refusal.refused !== 'key_revoked');
