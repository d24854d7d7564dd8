import { countedSignals } from '../adapters/caching/counted-signals.js';
import type { Signals } from '../application/ports/signals.js';
import { METRICS, SIGNALS, type Wiring } from './parts.js';

/** Hints by the adapter that is chosen, counted whichever it is. */
export const wireSignals = ({ part, get }: Wiring, make: () => Signals): void =>
  part(SIGNALS, () => countedSignals(make(), (what) => get(METRICS).hint(what)));
