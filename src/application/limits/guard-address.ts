import { anonymousPolicy, type Limit, limitsOf, placeIn, windows } from '../../domain/limits/rate-limit.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';
import { Unavailable } from '../unavailable.js';

/**
 * The guard against guessing: requests without a good key are counted by the address they come from (D33).
 * `take` counts one, `look` only tells how things stand.
 */
export const guardAddress = (parts: {
  readonly counters: Counters;
  readonly clock: Clock;
  readonly requestsPerMinute: number;
}) => {
  const policies = [anonymousPolicy(parts.requestsPerMinute)];

  const windowsOf = (address: string) => windows(`address:${address}`, policies, parts.clock());

  const count = async (address: string, upTo: 0 | 1) => {
    const open = windowsOf(address);
    const { granted, counts } = await parts.counters.take(open.map(placeIn), upTo);
    return { granted, limits: limitsOf(open, counts) };
  };

  return {
    take: (address: string): Promise<{ granted: number; limits: readonly Limit[] }> => count(address, 1),
    /** What cannot be looked up is told as untouched: it is a header, and must not cost the answer (D35). */
    look: async (address: string): Promise<readonly Limit[]> => {
      try {
        return (await count(address, 0)).limits;
      } catch (fault) {
        if (!(fault instanceof Unavailable)) throw fault;
        return limitsOf(windowsOf(address), []);
      }
    },
  };
};

export type GuardAddress = ReturnType<typeof guardAddress>;
