import type { ListedItem } from '../../../application/ports/feed/feed-store.js';
import type { FeedIndex } from '../../../domain/feed/feed-index.js';

type Items = Pick<FeedIndex<ListedItem>, 'readTerms'>;

/** Items whose terms are read at a time, which takes about 2 ms. Requests must not wait longer. */
const SLICE = 20;

/** Reads the terms of copied items once they are needed: many in the background, a few at once. */
export class TermReading {
  #reading: Items | null = null;

  /** Whether the copy can be searched by terms now. If not, its terms are being read. */
  isComplete(items: Items): boolean {
    if (items.readTerms(SLICE)) return true;
    if (this.#reading !== items) {
      this.#reading = items;
      this.#continue(items);
    }
    return false;
  }

  /** Ends when the copy was rebuilt and has other items. */
  #continue(items: Items): void {
    setImmediate(() => {
      if (this.#reading !== items) return;
      if (items.readTerms(SLICE)) this.#reading = null;
      else this.#continue(items);
    });
  }
}
