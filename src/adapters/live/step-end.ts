import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';

/** The longest step of one stream: other streams and all requests wait for it. */
const STEP_MS = 2;

/** Returns whether a step that begins now has lasted long enough. Looking at one item can take a tenth of a millisecond. */
export function stepEnd(clock: MonotonicClock): () => boolean {
  const until = clock() + STEP_MS;
  return () => clock() >= until;
}
