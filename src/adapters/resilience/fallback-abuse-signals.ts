import type { AbuseSignals } from '../../application/ports/limits/abuse-signals.js';
import { Unavailable } from '../../application/unavailable.js';

/** Abuse signals that use `local` while `shared` is unavailable: then each process counts only its own requests. */
export function fallbackAbuseSignals(shared: AbuseSignals, local: AbuseSignals): AbuseSignals {
  const withFallback = async (call: (abuseSignals: AbuseSignals) => Promise<number>): Promise<number> => {
    try {
      return await call(shared);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      return call(local);
    }
  };
  return {
    networks: (window, names) => withFallback((abuseSignals) => abuseSignals.networks(window, names)),
    refusals: (window, count) => withFallback((abuseSignals) => abuseSignals.refusals(window, count)),
  };
}
