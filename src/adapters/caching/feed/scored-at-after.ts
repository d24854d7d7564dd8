import type { FeedChange } from '../../../application/ports/change-logs.js';
import type { Moment } from '../../../domain/moment.js';

/** The time of each item after the last of these changes, without retracted items. */
export function scoredAtAfter(changes: readonly FeedChange[]): ReadonlyMap<string, Moment> {
  const scoredAts = new Map<string, Moment>();
  for (const change of changes) {
    if (change.kind === 'published' || change.kind === 'replaced') scoredAts.set(change.id, change.scoredAt);
    else if (change.kind === 'retracted') scoredAts.delete(change.id);
  }
  return scoredAts;
}
