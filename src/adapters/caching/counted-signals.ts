import type { Signals } from '../../application/ports/signals.js';

/**
 * Counts hints sent and heard, by instance. What all instances sent and one of them has not heard
 * is lost, or on its way.
 */
export function countedSignals(signals: Signals, count: (what: 'sent' | 'heard') => void): Signals {
  signals.listen(() => count('heard'));
  return {
    // Counted first: who compares must not find more heard than sent.
    send: (signal) => {
      count('sent');
      return signals.send(signal);
    },
    listen: (listener) => signals.listen(listener),
  };
}
