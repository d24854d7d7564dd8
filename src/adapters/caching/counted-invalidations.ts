import type { Invalidations } from '../../application/ports/invalidations.js';

/**
 * Counts hints sent and heard, by instance. What all instances sent and one of them has not heard
 * is lost, or on its way.
 */
export function countedInvalidations(
  invalidations: Invalidations,
  count: (what: 'sent' | 'heard') => void,
): Invalidations {
  invalidations.listen(() => count('heard'));
  return {
    // Counted first: who compares must not find more heard than sent.
    send: (invalidation) => {
      count('sent');
      return invalidations.send(invalidation);
    },
    listen: (listener) => invalidations.listen(listener),
  };
}
