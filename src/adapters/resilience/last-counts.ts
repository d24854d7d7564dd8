import type { Taken } from '../../application/ports/limits/counters.js';
import { isCountLost, restoredCount } from '../../domain/limits/lost-counts.js';
import { haveSameLimits, type Permit } from '../../domain/limits/rate-limit.js';

/** Sets the counter of each permit to the count at the same index. */
export type SetCounts = (permits: readonly Permit[], counts: readonly number[]) => void;

type Answer = Pick<Taken, 'granted' | 'counts' | 'isNew'>;

type Entry = {
  readonly permits: readonly Permit[];
  /**
   * The count of each counter, then the permits of each that this process has taken from the shared counters and not given back. One
   * array, because there can be 100 000 entries.
   */
  readonly numbers: number[];
  /** Whether the local counters have these counts already. */
  isApplied: boolean;
  /** The number of `doubt` calls before the counts were noted. */
  doubts: number;
  readonly endsAt: number;
};

/** How often entries are dropped whose counters have ended. */
const DROP_EVERY_MS = 60_000;

/**
 * The last counts of the shared counters, until the local ones need them, or until the shared ones have lost them. Nearly all are
 * replaced without being used, so `note` only looks the entry up, compares and copies the counts.
 */
export class LastCounts {
  readonly #setCounts: SetCounts;
  readonly #now: () => number;
  /** By the last counter, which is the one of the longest window: its name changes least often. */
  readonly #entries = new Map<string, Entry>();
  #doubts = 0;
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

  /**
   * Notes an answer of the shared counters, and returns null. If it shows that they have lost counts, notes nothing, and returns the
   * counts to which they must be raised.
   */
  note(permits: readonly Permit[], taken: Answer): readonly number[] | null {
    const name = lastCounter(permits);
    let known = this.#entries.get(name);
    if (known === undefined || !haveSameLimits(known.permits, permits))
      known = this.#add(name, permits, known);
    const { numbers } = known;
    const n = permits.length;
    if (hasLost(known, taken, known.doubts !== this.#doubts))
      return countsOf(known).map((last, i) => restoredCount(last, numbers[n + i] ?? 0));
    const { granted, counts } = taken;
    known.isApplied = false;
    known.doubts = this.#doubts;
    for (let i = 0; i < counts.length; i += 1) {
      numbers[i] = counts[i] ?? 0;
      numbers[n + i] = (numbers[n + i] ?? 0) + granted;
    }
    return null;
  }

  /** The shared counters were unavailable: they may have lost counts meanwhile. */
  doubt(): void {
    this.#doubts += 1;
  }

  /** Notes that permits of this process go back to the shared counters. */
  noteGivenBack(permits: readonly Permit[], n: number): void {
    const known = this.#entries.get(lastCounter(permits));
    if (known === undefined) return;
    for (const { counter } of permits) {
      const i = known.permits.findIndex((permit) => permit.counter === counter);
      if (i < 0) continue;
      for (const at of [i, known.permits.length + i])
        known.numbers[at] = Math.max(0, (known.numbers[at] ?? 0) - n);
    }
  }

  /** Sets the local counters of these permits to the last shared counts. */
  apply(permits: readonly Permit[]): void {
    const known = this.#entries.get(lastCounter(permits));
    if (known === undefined || known.isApplied) return;
    known.isApplied = true;
    this.#setCounts(known.permits, countsOf(known));
  }

  /** Keeps what is known of counters that the replaced entry has too: the day does not end with the minute. */
  #add(name: string, permits: readonly Permit[], replaced: Entry | undefined): Entry {
    this.apply(permits); // The other counters of the replaced entry may still be in use.
    const now = this.#now();
    if (now >= this.#dropAt) this.#dropEnded(now);
    const seconds = Math.max(0, ...permits.map(({ lifetimeSeconds }) => lifetimeSeconds));
    const endsAt = now + seconds * 1_000;
    const at = permits.map(
      ({ counter }) => replaced?.permits.findIndex((one) => one.counter === counter) ?? -1,
    );
    const own = replaced?.permits.length ?? 0;
    // An index of -1 is a counter that the replaced entry does not have.
    const before = (i: number, from: number) => (i < 0 ? 0 : (replaced?.numbers[from + i] ?? 0));
    // `concat` reserves no room for more, as a spread does.
    const numbers = at.map((i) => before(i, 0)).concat(at.map((i) => before(i, own)));
    const entry = { permits, numbers, isApplied: true, doubts: replaced?.doubts ?? this.#doubts, endsAt };
    this.#entries.set(name, entry);
    return entry;
  }

  #dropEnded(now: number): void {
    this.#dropAt = now + DROP_EVERY_MS;
    for (const [name, { endsAt }] of this.#entries) if (endsAt <= now) this.#entries.delete(name);
  }
}

const countsOf = ({ permits, numbers }: Entry): readonly number[] => numbers.slice(0, permits.length);

function hasLost({ permits, numbers }: Entry, answer: Answer, isDoubtful: boolean): boolean {
  const n = permits.length;
  const last = n - 1;
  for (let i = 0; i <= last; i += 1) {
    const isNew = i === last && answer.isNew === true;
    const before = (answer.counts[i] ?? 0) - answer.granted;
    if (isCountLost(numbers[i] ?? 0, numbers[n + i] ?? 0, before, isNew || isDoubtful)) return true;
  }
  return false;
}

const lastCounter = (permits: readonly Permit[]): string => permits[permits.length - 1]?.counter ?? '';
