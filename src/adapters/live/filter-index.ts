import type { ChangeEntry } from './changes/change-entry.js';
import type { Stream } from './stream.js';

/** Finds the streams that a change concerns, without a test of every filter. */
export class FilterIndex {
  readonly #unfiltered = new Set<Stream>();
  readonly #filtered = new Set<Stream>();
  readonly #byMarket = new Map<string, Set<Stream>>();

  get size(): number {
    return this.#unfiltered.size + this.#filtered.size;
  }

  add(stream: Stream): void {
    const { marketIds } = stream.filter;
    if (marketIds === null) return void this.#unfiltered.add(stream);
    this.#filtered.add(stream);
    for (const id of marketIds) {
      const streams = this.#byMarket.get(id) ?? new Set();
      streams.add(stream);
      this.#byMarket.set(id, streams);
    }
  }

  /** The filter of the stream must be the one with which it was added. */
  remove(stream: Stream): void {
    this.#unfiltered.delete(stream);
    if (!this.#filtered.delete(stream)) return;
    for (const id of stream.filter.marketIds ?? []) {
      const streams = this.#byMarket.get(id);
      streams?.delete(stream);
      if (streams?.size === 0) this.#byMarket.delete(id);
    }
  }

  *all(): Iterable<Stream> {
    yield* this.#unfiltered;
    yield* this.#filtered;
  }

  /** Calls `wake` for each stream that may send something for a change. A stream can be named more than once. */
  each({ change }: ChangeEntry, wake: (stream: Stream) => void): void {
    if (change.kind === 'start' || change.kind === 'raised') return;
    this.#unfiltered.forEach(wake);
    // Every filtered stream gets every retraction, and a replacement that does not pass its filter as one (D49).
    if (change.kind !== 'published') this.#filtered.forEach(wake);
    else for (const id of change.item?.subMarketIds ?? []) this.#byMarket.get(id)?.forEach(wake);
  }
}
