import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../../../application/limits/admit-request.js';
import type { HashKey } from '../../../application/ports/ids.js';
import type { KeyFormat, KeyHash } from '../../../domain/keys/key-value.js';
import type { Connections } from '../listener/connections.js';
import { credentialOf, type KeyHeaders } from './credential.js';

/** A key that was sent on a connection. All further code gets only its hash. */
export type SentKey = {
  readonly hash: KeyHash;
  /** Whether a request with this key was admitted before, on any connection. Then the key exists. */
  wasAdmitted: boolean;
  /** Whether the last request with this key on this connection was over a limit. */
  wasLimited: boolean;
  /** The caller must pass the decision on each request with this key. */
  readonly recordDecision: (admission: Admission) => void;
};

/** `malformed` is a value that no key can have (D17); null means that no key was sent. */
export type SentCredential = SentKey | 'malformed' | null;

type LastKey = { readonly credential: string; readonly key: SentKey };

type SentKeysParts = {
  readonly hashKey: HashKey;
  readonly keyFormat: KeyFormat;
  readonly queryKeyAllowed: boolean;
  readonly connections: Pick<Connections, 'prove'>;
};

const ADMITTED_MAX = 100_000;

/**
 * Chooses, recognises and hashes the key of a request. A connection usually repeats one key, so its last key is stored
 * with its hash. The value stays in memory as long as the connection, whose buffers have contained it before.
 */
export class SentKeys {
  readonly #parts: SentKeysParts;
  readonly #last = new WeakMap<Socket, LastKey>();
  // Limited by size: a cache limited by `max` would allocate all its slots at once.
  readonly #admitted = new LRUCache<KeyHash, true>({ maxSize: ADMITTED_MAX, sizeCalculation: () => 1 });

  constructor(parts: SentKeysParts) {
    this.#parts = parts;
  }

  /** `isUpgrade`: a browser can set no header on it, so that the key in the query is always allowed (D47). */
  of(socket: Socket, headers: KeyHeaders, querystring: string, isUpgrade = false): SentCredential {
    const { keyFormat, queryKeyAllowed, hashKey } = this.#parts;
    const credential = credentialOf(headers, querystring, keyFormat, queryKeyAllowed || isUpgrade);
    if (credential === null) return null;
    const last = this.#last.get(socket);
    if (last?.credential === credential) {
      // Another connection may have sent it meanwhile.
      if (!last.key.wasAdmitted) last.key.wasAdmitted = this.#admitted.peek(last.key.hash) === true;
      return last.key;
    }
    const value = keyFormat.recognise(credential);
    if (value === undefined) return 'malformed';
    const key = this.#sentKey(socket, hashKey(value));
    this.#last.set(socket, { credential, key });
    return key;
  }

  /** The connection carries no further request. */
  forget(socket: Socket): void {
    this.#last.delete(socket);
  }

  #sentKey(socket: Socket, hash: KeyHash): SentKey {
    let isProven = false;
    const key = {
      hash,
      // `peek` does not note the order of use, which would take longer than the look-up. A key that was dropped only counts
      // towards the bound on look-ups again.
      wasAdmitted: this.#admitted.peek(hash) === true,
      wasLimited: false,
      recordDecision: (admission: Admission) => {
        if (!isProven && isUnrevokedKey(admission)) {
          isProven = true;
          this.#parts.connections.prove(socket); // The connection no longer counts towards the limit of its address.
        }
        key.wasLimited = !admission.admitted && admission.refusal.refused === 'rate_limited';
        if (admission.admitted !== key.wasAdmitted) this.#recordChange(key, admission);
      },
    };
    return key;
  }

  /** A revoked or deleted key no longer counts as admitted; a suspended one does. */
  #recordChange(key: { readonly hash: KeyHash; wasAdmitted: boolean }, admission: Admission): void {
    if (admission.admitted) this.#admitted.set(key.hash, true);
    else if (isUnrevokedKey(admission)) return;
    else this.#admitted.delete(key.hash);
    key.wasAdmitted = admission.admitted;
  }
}

/** Whether the key exists and has not been revoked. */
export const isUnrevokedKey = (admission: Admission): boolean =>
  admission.admitted || (admission.key !== null && admission.refusal.refused !== 'key_revoked');
