import type { MonitoredWindow } from '../../../domain/limits/abuse.js';

/**
 * The abuse signals of a subject in the last minutes, counted by all instances together.
 *
 * What every adapter guarantees:
 * - both methods add to the first counter of the window, that of the current minute, and return the total of all its
 *   counters;
 * - `networks` is an approximate distinct count, within a few percent, shared by all instances;
 * - `refusals` is an exact sum;
 * - a counter lives for the `lifetimeSeconds` of the window;
 * - an adapter that cannot answer in time throws `Unavailable`.
 */
export interface AbuseSignals {
  networks(window: MonitoredWindow, names: readonly string[]): Promise<number>;
  refusals(window: MonitoredWindow, count: number): Promise<number>;
}
