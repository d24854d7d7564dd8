import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { Stream } from './stream.js';
import { WaitingQueue } from './waiting-queue.js';

/** The longest time for which streams occupy the event loop: requests must not wait for them. */
const SLICE_MS = 2;
/** The streams whose state is read together: it must fit into the caches of the processor. */
const STREAMS_PER_READ = 16;
/** The streams between two reads of the clock, because one takes a tenth of the time of a short write. */
const STEPS_PER_CLOCK = 8;

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
  /** Streams that could be written to when their state was read. */
  readonly #ready = new WaitingQueue<Each>();
  #isScheduled = false;
  #now = 0;
  #stepsToClock = 0;

  constructor(work: ScheduledWork<Each>, pauseMs = 0) {
    this.#work = work;
    this.#pauseMs = pauseMs;
  }

  /** The time of the last read of the clock: during a step, at most 8 short writes ago. */
  get now(): number {
    return this.#now;
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

  /** The present step takes longer than a short write. */
  noteLongStep(): void {
    this.#stepsToClock = 0;
  }

  #run(): void {
    this.#readClock();
    const until = this.#now + SLICE_MS;
    while (this.#now < until) {
      if (this.#ready.isEmpty) this.#read(until);
      const stream = this.#ready.next();
      if (stream === undefined) break;
      this.#step(stream);
      this.#countStep();
    }
    this.#isScheduled = !this.#ready.isEmpty || !this.#waiting.isEmpty;
    if (this.#isScheduled) this.#schedule();
  }

  /**
   * Reads the state of the next streams in one loop, because the processor then loads it from memory for all of them at the
   * same time. With thousands of streams it is in no cache, and each write is a call of the system: one after the other, each
   * write would wait for it. Afterwards none is ready only if none waits, or if the slice is over.
   */
  #read(until: number): void {
    for (let read = 0; read < STREAMS_PER_READ && this.#now < until; ) {
      const stream = this.#waiting.next();
      if (stream === undefined) return;
      if (this.#isReady(stream)) {
        this.#ready.add(stream);
        read += 1;
      } else this.#countStep();
    }
  }

  #isReady(stream: Each): boolean {
    try {
      return this.#work.isReady(stream);
    } catch (fault) {
      this.#work.failed(stream, fault);
      return false;
    }
  }

  #step(stream: Each): void {
    stream.isWaiting = false;
    // Other work may have run since its state was read.
    if (!this.#isReady(stream)) return;
    const { progress } = stream;
    try {
      this.#work.step(stream);
    } catch (fault) {
      stream.progress = progress; // Nothing of this step was sent.
      this.#work.failed(stream, fault);
    }
  }

  #countStep(): void {
    this.#stepsToClock -= 1;
    if (this.#stepsToClock <= 0) this.#readClock();
  }

  #readClock(): void {
    this.#now = this.#work.monotonicClock();
    this.#stepsToClock = STEPS_PER_CLOCK;
  }
}
