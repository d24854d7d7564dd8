import type { MonitoredWindow } from '../../../domain/limits/abuse.js';

/**
 * What was seen of a subject in the last minutes, by all instances together.
 *
 * What each adapter keeps:
 * - what is seen counts for the first counter of the window, the present minute's; the answer is about all of them;
 * - `networks` counts each name once, near enough (a few in a hundred), however often and by whomever it was seen;
 * - `refusals` adds exactly;
 * - a counter lives as long as the window says; an adapter that cannot answer in time throws `Unavailable`.
 */
export interface AbuseSignals {
  networks(window: MonitoredWindow, names: readonly string[]): Promise<number>;
  refusals(window: MonitoredWindow, count: number): Promise<number>;
}
