import type { StoredChange } from '../../../application/ports/feed/feed-history.js';
import type { Position } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';

/** Gets the changes of a copy in the step in which the copy applies them. */
export type CopyListener = {
  /** Earlier changes do not count any more. `head` is the greatest head that was seen; null if none was. */
  readonly rebuild: (position: Position, head: Moment | null) => void;
  /** In the order of the log, each with its item, unless the item has changed again. */
  readonly add: (changes: readonly StoredChange[]) => void;
  /** The head was read from the store. */
  readonly noteHead: (head: Moment | null) => void;
};
