import { keysOf, type StreamFilter } from '../../domain/feed/stream-filter.js';
import type { ChangeEntry } from './changes/change-entry.js';

/** The most items whose words are read at once: reading those of hundreds would block the event loop. */
const READ_AT_ONCE = 20;

/** Who reads the changes that pass a filter. */
type Filtered = { readonly filter: StreamFilter };

/** Finds the streams, or other readers, that a change concerns, without a test of every filter. */
export class FilterIndex<Reader extends Filtered> {
  readonly #unfiltered = new Set<Reader>();
  /** Those with a filter by market or by terms. */
  readonly #filtered = new Set<Reader>();
  /** Those with a filter by news event, whatever else they filter by. */
  readonly #ofOneEvent = new Set<Reader>();
  readonly #byNewsId = new Map<string, Set<Reader>>();
  readonly #byMarket = new Map<string, Set<Reader>>();
  readonly #byTerm = new Map<string, Set<Reader>>();

  get size(): number {
    return this.#unfiltered.size + this.#filtered.size + this.#ofOneEvent.size;
  }

  add(stream: Reader): void {
    const listed = this.#listedUnder(stream);
    if (listed === null) return void this.#unfiltered.add(stream);
    this.#setOf(stream).add(stream);
    for (const key of listed.keys) {
      const streams = listed.map.get(key) ?? new Set();
      streams.add(stream);
      listed.map.set(key, streams);
    }
  }

  /** The filter of the stream must be the one with which it was added. */
  remove(stream: Reader): void {
    this.#unfiltered.delete(stream);
    if (!this.#setOf(stream).delete(stream)) return;
    const listed = this.#listedUnder(stream);
    for (const key of listed?.keys ?? []) {
      const streams = listed?.map.get(key);
      streams?.delete(stream);
      if (streams?.size === 0) listed?.map.delete(key);
    }
  }

  *all(): Iterable<Reader> {
    yield* this.#unfiltered;
    yield* this.#filtered;
    yield* this.#ofOneEvent;
  }

  /**
   * Calls `wake` for each stream that may send something for these changes. A stream can be named more than once. If there are
   * many changes, every stream with a filter by terms is named: it reads the words of the items step by step.
   */
  each(entries: readonly ChangeEntry[], wake: (stream: Reader) => void): void {
    const areMany = entries.length > READ_AT_ONCE;
    if (areMany) for (const streams of this.#byTerm.values()) streams.forEach(wake);
    for (const entry of entries) {
      this.#byChange(entry, wake);
      if (!areMany && entry.change.kind === 'published') this.#withItsTerms(entry, wake);
    }
  }

  #byChange(entry: ChangeEntry, wake: (stream: Reader) => void): void {
    const { change } = entry;
    if (change.kind === 'start' || change.kind === 'raised') return;
    this.#unfiltered.forEach(wake);
    this.#byNewsId.get(change.id)?.forEach(wake);
    // Every other filtered stream gets every retraction, and a replacement that does not pass its filter as one (D49).
    if (change.kind !== 'published') this.#filtered.forEach(wake);
    else for (const id of change.item?.subMarketIds ?? []) this.#byMarket.get(id)?.forEach(wake);
  }

  /** The terms of an item are read only if a stream needs them. */
  #withItsTerms(entry: ChangeEntry, wake: (stream: Reader) => void): void {
    if (this.#byTerm.size > 0) for (const term of entry.terms) this.#byTerm.get(term)?.forEach(wake);
  }

  #setOf({ filter }: Filtered): Set<Reader> {
    return filter.newsId === null ? this.#filtered : this.#ofOneEvent;
  }

  /** Where a stream with a filter is listed, and under which keys. */
  #listedUnder({ filter }: Filtered): {
    readonly map: Map<string, Set<Reader>>;
    readonly keys: Iterable<string>;
  } | null {
    const keys = keysOf(filter);
    if (keys === null) return null;
    if ('newsId' in keys) return { map: this.#byNewsId, keys: [keys.newsId] };
    return 'terms' in keys
      ? { map: this.#byTerm, keys: keys.terms }
      : { map: this.#byMarket, keys: keys.marketIds };
  }
}
