/** A connection that waited longer to be accepted may be abandoned, in milliseconds. */
const WAIT_MAX_MS = 100;
/** Fewer abandoned connections are no sign that those behind them are. */
const ABANDONED_MIN = 10;
/** Of more connections, the earlier ones count half. */
const LATELY_MAX = 40;

/** The connections that waited long and whose first request was read: all, and those that their clients had closed by then. */
export type ReadLately = { readonly all: number; readonly abandoned: number };

export const NONE_READ: ReadLately = { all: 0, abandoned: 0 };

export const mayBeAbandoned = (waitMs: number): boolean => waitMs > WAIT_MAX_MS;

/** After the first request of one more connection was read. */
export function withOneMore({ all, abandoned }: ReadLately, isAbandoned: boolean): ReadLately {
  const share = all < LATELY_MAX ? 1 : 1 / 2;
  return { all: all * share + 1, abandoned: abandoned * share + (isAbandoned ? 1 : 0) };
}

/**
 * Whether the connections that wait to be accepted are abandoned too (D76): their wait is long, and most of those before them
 * were. A wave of clients that still wait, as after a restart, is not.
 */
export const areAbandoned = (waitMs: number, { all, abandoned }: ReadLately): boolean =>
  mayBeAbandoned(waitMs) && abandoned >= ABANDONED_MIN && abandoned * 2 > all;
