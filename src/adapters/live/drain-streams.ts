import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';

/** How often streams are ended. */
const TICK_MS = 20;

/** Ends all streams, the oldest first, spread over this time. `end` removes the stream from `open`. */
export async function drainStreams<Stream>(
  open: ReadonlyMap<unknown, Stream>,
  durationMs: number,
  now: MonotonicClock,
  end: (stream: Stream) => void,
): Promise<void> {
  const [startedAt, total] = [now(), open.size];
  while (open.size > 0) {
    const share = Math.min(1, (now() - startedAt + TICK_MS) / Math.max(1, durationMs));
    const left = Math.floor(total * (1 - share));
    for (const stream of open.values()) {
      if (open.size <= left) break;
      end(stream);
    }
    if (open.size > 0) await new Promise((done) => setTimeout(done, TICK_MS));
  }
}
