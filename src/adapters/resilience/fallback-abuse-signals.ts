import type { AbuseSignals } from '../../application/ports/limits/abuse-signals.js';
import { Unavailable } from '../../application/unavailable.js';

/** Sightings that go on without the shared ones: then each process judges by what it has seen itself. */
export function fallbackAbuseSignals(shared: AbuseSignals, local: AbuseSignals): AbuseSignals {
  const either = async (ask: (abuseSignals: AbuseSignals) => Promise<number>): Promise<number> => {
    try {
      return await ask(shared);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      return ask(local);
    }
  };
  return {
    networks: (window, names) => either((abuseSignals) => abuseSignals.networks(window, names)),
    refusals: (window, count) => either((abuseSignals) => abuseSignals.refusals(window, count)),
  };
}
