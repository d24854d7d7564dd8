import type { Position } from './position.js';

/** The open pages of one account that get changes; an earlier one gives way. */
export const PAGES_PER_ACCOUNT = 4;

/** The open pages of one process that get changes. */
export const OPEN_PAGES_MAX = 1_000;

/** The most changes that an open page gets after a pause. A page that lacks more is loaded anew. */
const MISSED_MAX = 500;

/** Whether an open page lacks more changes than it gets. */
export const lacksTooMuch = (position: Position, newest: Position): boolean =>
  newest.n - position.n > MISSED_MAX;
