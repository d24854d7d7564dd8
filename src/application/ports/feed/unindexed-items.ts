/**
 * Items without terms: the previous version stores them so (`domain/feed/filters/item-terms.ts`).
 *
 * What every adapter guarantees:
 * - `index` gives at most `count` of these items their terms, the newest first, and returns how many;
 * - it leaves out items that a publisher is changing, and locks each other one only until it returns.
 */
export interface UnindexedItems {
  index(count: number): Promise<number>;
}
