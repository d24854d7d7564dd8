import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { Stream } from './stream.js';
import { WaitingQueue } from './waiting-queue.js';

/** The longest time for which streams occupy the event loop: requests must not wait for them. */
const SLICE_MS = 2;
type Member = Pick<Stream, 'isWaiting' | 'progress'>;

export type ScheduledWork<Each extends Member = Stream> = {
  /** Whether the stream can be written to now. If not, `wake` is called again when it can. */
  readonly isReady: (stream: Each) => boolean;
  readonly step: (stream: Each) => void;
  /** Called if one of them throws. */
  readonly failed: (stream: Each, fault: unknown) => void;
  readonly monotonicClock: MonotonicClock;
};

/**
 * Streams that have work take turns. Between slices of 2 ms, other work of the process runs; with `pauseMs`, for at least that
 * time.
 */
export class StreamScheduler<Each extends Member = Stream> {
  readonly #work: ScheduledWork<Each>;
  readonly #pauseMs: number;
  readonly #waiting = new WaitingQueue<Each>();
  #isScheduled = false;

  constructor(work: ScheduledWork<Each>, pauseMs = 0) {
    this.#work = work;
    this.#pauseMs = pauseMs;
  }

  /** The stream gets a turn, unless it waits already. */
  wake(stream: Each): void {
    if (stream.isWaiting) return;
    stream.isWaiting = true;
    this.#waiting.add(stream);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#pauseMs === 0) setImmediate(() => this.#run());
    else setTimeout(() => this.#run(), this.#pauseMs);
  }

  #run(): void {
    const { monotonicClock } = this.#work;
    const until = monotonicClock() + SLICE_MS;
    do {
      const stream = this.#waiting.next();
      if (stream === undefined) break;
      this.#step(stream);
    } while (monotonicClock() < until);
    this.#isScheduled = !this.#waiting.isEmpty;
    if (this.#isScheduled) this.#schedule();
  }

  #step(stream: Each): void {
    stream.isWaiting = false;
    const { progress } = stream;
    try {
      if (this.#work.isReady(stream)) this.#work.step(stream);
    } catch (fault) {
      stream.progress = progress; // Nothing of this step was sent.
      this.#work.failed(stream, fault);
    }
  }
}
