import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import type { Stream } from './stream.js';

const TICK_MS = 250;
/** A heartbeat can be sent earlier by this share of the interval. */
const EARLY_SHARE = 1 / 15;

/**
 * Spreads the heartbeats of all streams over the interval, so that they are not written at once.
 *
 * A heartbeat in a separate write costs as much as an item; one in the write of a change costs nearly nothing. Therefore a change
 * also sends the heartbeats that are due soon. The interval between two heartbeats is shortened by the same time, so that the next
 * one is never later than the promised interval.
 */
export class Heartbeats<Member extends Pick<Stream, 'heartbeatGroup'> = Stream> {
  readonly #groups: readonly Set<Member>[];
  readonly #due: (streams: ReadonlySet<Member>) => void;
  readonly #earlyTicks: number;
  readonly #now: MonotonicClock;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  /** The last tick whose heartbeats were given. */
  #given = 0;
  #added = 0;

  /** `intervalMs` is the longest time between two heartbeats. `due` is called with the streams whose heartbeat is due. */
  constructor(intervalMs: number, now: MonotonicClock, due: (streams: ReadonlySet<Member>) => void) {
    const ticks = Math.max(1, Math.round(intervalMs / TICK_MS));
    this.#earlyTicks = Math.floor(ticks * EARLY_SHARE);
    // One tick is for the timer, which is late if the process is busy.
    const reserved = this.#earlyTicks === 0 ? 0 : this.#earlyTicks + 1;
    this.#groups = Array.from({ length: ticks - reserved }, () => new Set<Member>());
    this.#now = now;
    this.#due = due;
  }

  start(): void {
    this.#startedAt = this.#now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** A change is about to be written: heartbeats that are due soon go in the same writes. */
  early(): void {
    this.#giveUntil(this.#ticks + this.#earlyTicks);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The first heartbeat comes within the interval. Streams that are added together get theirs at different ticks. */
  add(stream: Member): void {
    this.#added += 1;
    stream.heartbeatGroup = (this.#given + this.#added) % this.#groups.length;
    this.#group(stream.heartbeatGroup).add(stream);
  }

  remove(stream: Member): void {
    this.#group(stream.heartbeatGroup).delete(stream);
  }

  /** By the clock, because a timer that was late is not early afterwards. After a pause, each stream gets one heartbeat. */
  #tick(): void {
    this.#ticks = Math.round((this.#now() - this.#startedAt) / TICK_MS);
    this.#given = Math.max(this.#given, this.#ticks - this.#groups.length);
    this.#giveUntil(this.#ticks);
  }

  #giveUntil(tick: number): void {
    while (this.#given < tick) {
      this.#given += 1;
      this.#due(this.#group(this.#given));
    }
  }

  #group(n: number): Set<Member> {
    const group = this.#groups[n % this.#groups.length];
    if (group === undefined) throw new Error('there is no group of heartbeats');
    return group;
  }
}
