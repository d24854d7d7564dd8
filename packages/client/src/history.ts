import type { HistoryChange } from './api.js';

/** The changes of a range, oldest first. Iterate over it once. */
export type History = AsyncIterable<HistoryChange> & {
  /**
   * Covers the changes that you took, and after the last one all of the range: the `after` of a later history. Undefined
   * before the first change, if you gave no `after`.
   */
  readonly position: string | undefined;
};
