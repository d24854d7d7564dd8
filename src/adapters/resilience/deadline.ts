import { Unavailable } from '../../application/unavailable.js';

/** A timer that is later than this spans a pause of this process. */
const LATE_MAX_MS = 100;

/**
 * The result of `work`. Throws `Unavailable` if it takes longer than `ms` milliseconds; a later result is ignored.
 *
 * A result that arrived in time must count also if this process was too busy to read it. Therefore the event loop reads
 * the sockets once more after the timeout, before the call fails. After a pause of this process the time runs again, once:
 * the call may not even have been sent before the pause (T17).
 */
export function withDeadline<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const timeOut = () => fail(new Unavailable(what, new Error(`no answer within ${ms} ms`)));
    const dueAt = performance.now() + ms;
    let timer = setTimeout(() => {
      const isLate = performance.now() - dueAt > LATE_MAX_MS;
      if (isLate) timer = setTimeout(readOnceMore, ms);
      else readOnceMore();
    }, ms);
    const readOnceMore = () => setImmediate(() => setImmediate(timeOut));
    work()
      .then(done, fail)
      .finally(() => clearTimeout(timer));
  });
}
