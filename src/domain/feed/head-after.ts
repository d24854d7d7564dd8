import type { Moment } from '../moment.js';

/** A change of the feed, as far as it concerns the head. */
export type HeadChange =
  | { readonly kind: 'published' | 'replaced'; readonly scoredAt: Moment }
  | { readonly kind: 'raised'; readonly head: Moment }
  | { readonly kind: 'retracted' | 'start' };

/** The head after a change: the greatest `scored_at` that was ever assigned. It never decreases (D7). */
export function headAfter(head: Moment | null, change: HeadChange): Moment | null {
  switch (change.kind) {
    case 'published':
    case 'replaced':
      return greaterHead(head, change.scoredAt);
    case 'raised':
      return greaterHead(head, change.head);
    case 'retracted':
    case 'start':
      return head;
  }
}

/** The greater of two heads. Null is the head of a feed without publications. */
export const greaterHead = (one: Moment | null, other: Moment | null): Moment | null =>
  one === null || (other !== null && other > one) ? other : one;
