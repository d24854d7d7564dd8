import { LRUCache } from 'lru-cache';
import type { FindSandboxHolder, SandboxHolder } from '../../application/ports/keys/sandbox-keys.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { KeyHash } from '../../domain/keys/key-value.js';

/** A change of a key or its account takes at most this long (D39). */
const KEPT_MS = 1_000;
const KEYS_MAX = 10_000;

type Read = { readonly holder: Promise<SandboxHolder | null>; readonly at: number };

/** The holders of sandbox keys, each read at most once a second. A read that failed is not kept. */
export function cachedSandboxHolders(find: FindSandboxHolder, now: MonotonicClock): FindSandboxHolder {
  const reads = new LRUCache<KeyHash, Read>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 });
  return (hash) => {
    const known = reads.get(hash);
    if (known !== undefined && now() - known.at < KEPT_MS) return known.holder;
    const read = { holder: find(hash), at: now() };
    reads.set(hash, read);
    read.holder.catch(() => {
      if (reads.peek(hash) === read) reads.delete(hash);
    });
    return read.holder;
  };
}
