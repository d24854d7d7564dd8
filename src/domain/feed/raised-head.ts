import type { Moment } from '../moment.js';
import { latestAllowed } from './assign-scored-at.js';

/**
 * The head after a store returned to an older state (D45): the greatest head that this process has seen, so that no item
 * is published below a head that a client has read. A head beyond the tolerance for publications is a fault, and is not
 * kept (D7). Null if the stored head needs no change.
 */
export function raisedHead(stored: Moment | null, seen: Moment | null, now: Moment): Moment | null {
  if (seen === null) return null;
  const most = latestAllowed(now);
  const head = seen > most ? most : seen;
  return stored === null || head > stored ? head : null;
}
