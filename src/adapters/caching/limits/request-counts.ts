const SLOTS = 16_384;
const COUNT_MAX = 65_535;

/**
 * Counts the requests of many subjects in fixed memory. Subjects may share a slot, so that a count may be too high, but never
 * too low. A map with thousands of subjects is not in the caches of the processor, and each request would wait for it.
 */
export class RequestCounts {
  readonly #counts = new Uint16Array(SLOTS);

  /** Counts one request, and returns the requests of the subject since the last `clear`. */
  add(subject: string): number {
    const slot = slotOf(subject);
    const count = Math.min((this.#counts[slot] ?? 0) + 1, COUNT_MAX);
    this.#counts[slot] = count;
    return count;
  }

  clear(): void {
    this.#counts.fill(0);
  }
}

/** FNV-1a with 32 bits, and the upper bits folded into the lower ones. */
function slotOf(subject: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < subject.length; i += 1) hash = Math.imul(hash ^ subject.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}
