import type { Stream } from './stream.js';

const TICK_MS = 250;
/** A heartbeat can be sent earlier by this share of the interval, in the write of a change. */
const EARLY_SHARE = 1 / 15;

/**
 * Spreads the heartbeats of all streams over the interval, so that they are not written at once. A heartbeat in the write of a
 * change costs nearly nothing, and one of its own as much as an item: while there are changes, heartbeats wait for none of
 * their own if they are due soon.
 */
export class Heartbeats<Member extends Pick<Stream, 'heartbeatGroup'> = Stream> {
  readonly #groups: readonly Set<Member>[];
  readonly #due: (streams: ReadonlySet<Member>) => void;
  readonly #earlyTicks: number;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  /** The last tick whose heartbeats were given. */
  #given = 0;
  #added = 0;

  /** `intervalMs` is the longest time between two heartbeats. `due` is called with the streams whose heartbeat is due. */
  constructor(intervalMs: number, due: (streams: ReadonlySet<Member>) => void) {
    const ticks = Math.max(1, Math.round(intervalMs / TICK_MS));
    this.#earlyTicks = Math.floor(ticks * EARLY_SHARE);
    // The heartbeat after an early one may be on time.
    this.#groups = Array.from({ length: ticks - this.#earlyTicks }, () => new Set<Member>());
    this.#due = due;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#ticks += 1;
      this.#giveUntil(this.#ticks);
    }, TICK_MS).unref();
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
