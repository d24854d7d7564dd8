import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import type { Counters, Taken } from '../../../src/application/ports/limits/counters.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { NOON } from '../objects/builders.js';

/** Shared counters that count their calls, and answer when the schedule lets them. */
export function sharedCounters(schedule: <T>(answer: Promise<T>) => Promise<T> = (answer) => answer) {
  const stored = new MemoryCounters(() => NOON);
  const calls = { take: 0, giveBack: 0 };
  const counters: Counters = {
    take: async (permits, upTo): Promise<Taken> => {
      calls.take += 1;
      return schedule(Promise.resolve(stored.take(permits, upTo)));
    },
    giveBack: async (receipt, n) => {
      calls.giveBack += 1;
      return schedule(Promise.resolve(stored.giveBack(receipt, n)));
    },
  };
  const countOf = async (permits: readonly Permit[]) => (await stored.take(permits, 0)).counts;
  return { counters, calls, countOf };
}
