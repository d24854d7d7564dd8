import type { Moment } from '../../domain/moment.js';

/** The keys of the oldest entries whose time is at or before `until`, at most `count`. */
export const oldest = <Key>(
  times: Iterable<readonly [Key, Moment]>,
  until: Moment,
  count: number,
): readonly Key[] =>
  [...times]
    .filter(([, time]) => time <= until)
    .sort(([, a], [, b]) => (a < b ? -1 : 1))
    .slice(0, count)
    .map(([key]) => key);
