import type { Stream } from './stream.js';

const TICK_MS = 250;

/** Spreads the heartbeats of all streams over the interval, so that they are not written at once. */
export class Heartbeats<Member extends Pick<Stream, 'heartbeatGroup'> = Stream> {
  readonly #groups: readonly Set<Member>[];
  readonly #due: (streams: ReadonlySet<Member>) => void;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #added = 0;

  /** `due` is called every 250 ms with the streams whose heartbeat is due. */
  constructor(intervalMs: number, due: (streams: ReadonlySet<Member>) => void) {
    const groups = Math.max(1, Math.round(intervalMs / TICK_MS));
    this.#groups = Array.from({ length: groups }, () => new Set<Member>());
    this.#due = due;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#ticks += 1;
      this.#due(this.#group(this.#ticks));
    }, TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The first heartbeat comes within the interval. Streams that are added together get theirs at different ticks. */
  add(stream: Member): void {
    this.#added += 1;
    stream.heartbeatGroup = (this.#ticks + this.#added) % this.#groups.length;
    this.#group(stream.heartbeatGroup).add(stream);
  }

  remove(stream: Member): void {
    this.#group(stream.heartbeatGroup).delete(stream);
  }

  #group(n: number): Set<Member> {
    const group = this.#groups[n % this.#groups.length];
    if (group === undefined) throw new Error('there is no group of heartbeats');
    return group;
  }
}
