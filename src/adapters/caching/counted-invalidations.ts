import type { Invalidations } from '../../application/ports/invalidations.js';

/**
 * Counts the sent and received invalidations of an instance. If an invalidation was sent by an instance and not
 * received by this one, it is lost or on its way.
 */
export function countedInvalidations(
  invalidations: Invalidations,
  count: (what: 'sent' | 'heard') => void,
): Invalidations {
  invalidations.listen(() => count('heard'));
  return {
    // Counts before it sends, so that a comparison never shows more received than sent.
    send: (invalidation) => {
      count('sent');
      return invalidations.send(invalidation);
    },
    listen: (listener) => invalidations.listen(listener),
  };
}
