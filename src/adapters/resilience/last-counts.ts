import { haveSameLimits, type Permit } from '../../domain/limits/rate-limit.js';

/** Sets the counter of each permit to the count at the same index. */
export type SetCounts = (permits: readonly Permit[], counts: readonly number[]) => void;

type Entry = { readonly permits: readonly Permit[]; readonly counts: number[]; readonly endsAt: number };

/** How often entries are dropped whose counters have ended. */
const DROP_EVERY_MS = 60_000;

/**
 * The last counts of the shared counters, until the local ones need them. Nearly all are replaced without being used, so
 * `note` only looks the entry up and copies the counts.
 */
export class LastCounts {
  readonly #setCounts: SetCounts;
  readonly #now: () => number;
  /** By the last counter, which is the one of the longest window: its name changes least often. */
  readonly #entries = new Map<string, Entry>();
  #dropAt = Number.NEGATIVE_INFINITY;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(setCounts: SetCounts, now: () => number = () => performance.now()) {
    this.#setCounts = setCounts;
    this.#now = now;
  }

  /** The number of stored entries. */
  get size(): number {
    return this.#entries.size;
  }

  note(permits: readonly Permit[], counts: readonly number[]): void {
    const name = lastCounter(permits);
    const known = this.#entries.get(name);
    if (known === undefined || !haveSameLimits(known.permits, permits)) this.#add(name, permits, counts);
    else for (let i = 0; i < counts.length; i += 1) known.counts[i] = counts[i] ?? 0;
  }

  /** Sets the local counters of these permits to the last shared counts. */
  apply(permits: readonly Permit[]): void {
    const name = lastCounter(permits);
    const known = this.#entries.get(name);
    if (known === undefined) return;
    this.#entries.delete(name);
    this.#setCounts(known.permits, known.counts);
  }

  #add(name: string, permits: readonly Permit[], counts: readonly number[]): void {
    this.apply(permits); // The other counters of the replaced entry may still be in use.
    const now = this.#now();
    if (now >= this.#dropAt) this.#dropEnded(now);
    const seconds = Math.max(0, ...permits.map(({ lifetimeSeconds }) => lifetimeSeconds));
    this.#entries.set(name, { permits, counts: [...counts], endsAt: now + seconds * 1_000 });
  }

  #dropEnded(now: number): void {
    this.#dropAt = now + DROP_EVERY_MS;
    for (const [name, { endsAt }] of this.#entries) if (endsAt <= now) this.#entries.delete(name);
  }
}

const lastCounter = (permits: readonly Permit[]): string => permits[permits.length - 1]?.counter ?? '';
