import type { StatusClass, UsageCount } from '../limits/usage.js';
import type { Moment } from '../moment.js';
import type { KeyId } from './api-key.js';

/**
 * What the owner of a new key waits for. `answered`: a request was admitted and answered, with new content (2xx) or without (3xx).
 * `refused`: there were requests, and none was answered so: they had no valid parameters, or were refused.
 */
export type FirstRequest =
  | { readonly state: 'waiting' }
  | { readonly state: 'refused' }
  | { readonly state: 'answered'; readonly statusClass: '2xx' | '3xx'; readonly at: Moment };

/** `lastAdmittedAt` is null for a key that was never used. Counts and uses arrive separately, each a little later. */
export function firstRequestOf(
  counts: readonly UsageCount[],
  key: KeyId,
  lastAdmittedAt: Moment | null,
): FirstRequest {
  const classes = new Set<StatusClass>(
    counts.filter((count) => count.key === key).map(({ statusClass }) => statusClass),
  );
  const statusClass = (['2xx', '3xx'] as const).find((one) => classes.has(one));
  if (statusClass !== undefined && lastAdmittedAt !== null)
    return { state: 'answered', statusClass, at: lastAdmittedAt };
  return { state: statusClass === undefined && classes.has('4xx') ? 'refused' : 'waiting' };
}
