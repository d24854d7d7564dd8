import type { Sightings } from '../../application/ports/limits/sightings.js';
import { Unavailable } from '../../application/unavailable.js';

/** Sightings that go on without the shared ones: then each process judges by what it has seen itself. */
export function fallbackSightings(shared: Sightings, local: Sightings): Sightings {
  const either = async (ask: (sightings: Sightings) => Promise<number>): Promise<number> => {
    try {
      return await ask(shared);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      return ask(local);
    }
  };
  return {
    networks: (window, names) => either((sightings) => sightings.networks(window, names)),
    refusals: (window, count) => either((sightings) => sightings.refusals(window, count)),
  };
}
