import type { RenewalOf, StreamId, StreamSlots } from '../../application/ports/limits/stream-slots.js';
import type { Stream } from './stream.js';

type Parts = {
  readonly streamSlots: Pick<StreamSlots, 'renew'>;
  readonly report: (fault: unknown) => void;
};

/** Renews the slots of the open streams at an interval, and some of them early (D51). One renewal follows the other. */
export class SlotRenewal {
  readonly #parts: Parts;
  readonly #streams: ReadonlyMap<StreamId, Stream>;
  readonly #onLost: (stream: StreamId) => void;
  readonly #early = new Set<Stream>();
  /** The renewal that is under way. */
  #running: RenewalOf | null = null;
  #isAllDue = false;

  constructor(parts: Parts, streams: ReadonlyMap<StreamId, Stream>, onLost: (stream: StreamId) => void) {
    this.#parts = parts;
    this.#streams = streams;
    this.#onLost = onLost;
  }

  /** Returns a function that stops it. */
  start(intervalMs: number): () => void {
    const timer = setInterval(() => void this.#renewAll(), intervalMs).unref();
    return () => {
      clearInterval(timer);
      this.#early.clear();
    };
  }

  /** The client of the stream proved alive: no other stream may take its slot from now on. */
  readonly soon = (stream: Stream): void => {
    this.#early.add(stream);
    // The pongs that arrive together are one renewal.
    if (this.#early.size === 1) setImmediate(() => void this.#renewEarly());
  };

  async #renewAll(): Promise<void> {
    this.#isAllDue = this.#running === 'some';
    const held = [...this.#streams.values()].filter(({ sink }) => sink.form !== 'batch');
    if (this.#running === null) await this.#renew(held, 'all');
  }

  async #renewEarly(): Promise<void> {
    if (this.#running !== null) return;
    const held = [...this.#early].filter(({ id }) => this.#streams.has(id));
    this.#early.clear();
    if (held.length > 0) await this.#renew(held, 'some');
  }

  async #renew(held: readonly Stream[], renewalOf: RenewalOf): Promise<void> {
    this.#running = renewalOf;
    try {
      for (const id of await this.#parts.streamSlots.renew(held, renewalOf)) this.#onLost(id);
    } catch (fault) {
      this.#parts.report(fault);
    } finally {
      this.#running = null;
      void (this.#isAllDue ? this.#renewAll() : this.#renewEarly());
    }
  }
}
