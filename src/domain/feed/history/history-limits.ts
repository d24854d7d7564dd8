import { passesAll, type StreamFilter } from '../stream-filter.js';

/** Bounds of the `limit` parameter: the changes of one page of the history (D61). */
export const HISTORY_LIMIT = { minimum: 1, maximum: 500, default: 100 } as const;

/** A page reads at most so many changes, because a filter may pass few of them. */
export const CHANGES_PER_PAGE = 5_000;

/** A page ends after the change with which its items have this many bytes. */
export const PAGE_BYTES = 8_000_000;

/** One permit is taken for so many changes of the log that are read, at least one. */
const CHANGES_PER_PERMIT = 500;

/** How many more changes may be read for the permits of the `read` changes so far. The first permit is that of the request. */
export const paidChanges = (read: number): number => CHANGES_PER_PERMIT - (read % CHANGES_PER_PERMIT);

/** Whether the next change needs a permit of its own. */
export const needsPermit = (read: number): boolean => read > 0 && read % CHANGES_PER_PERMIT === 0;

/** The bytes of a block of an export, about. While a block is parsed, requests of others wait. */
export const BLOCK_BYTES = 500_000;

/** The same without other requests and without a filter, which would read each item: a block costs the time of a query. */
export const LARGE_BLOCK_BYTES = 2_000_000;

/** `hasReadRequests`: the process has read other requests while the newest block was used. */
export const blockBytes = (hasReadRequests: boolean, filter: StreamFilter): number =>
  hasReadRequests || !passesAll(filter) ? BLOCK_BYTES : LARGE_BLOCK_BYTES;

/** The changes of the first block, whose size is not known. */
export const FIRST_BLOCK_CHANGES = 100;

/**
 * How many changes a block of `bytesMax` after one of `read` changes with `bytes` reads. The database finds the version of each change that it
 * is asked for, also of those that are beyond the bytes of the block, so it is asked for few of them.
 */
export const changesOfBlock = (read: number, bytes: number, bytesMax: number): number =>
  Math.min(CHANGES_PER_PERMIT, Math.ceil((bytesMax * read) / Math.max(bytes, 1)));
