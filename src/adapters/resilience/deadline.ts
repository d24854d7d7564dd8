import { Unavailable } from '../../application/unavailable.js';

/**
 * The result of `work`. Throws `Unavailable` if it takes longer than `ms` milliseconds; a later result is ignored.
 *
 * A result that arrived in time must count also if this process was too busy to read it. Therefore the event loop reads
 * the sockets once more after the timeout, before the call fails.
 */
export function withDeadline<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const timeOut = () => fail(new Unavailable(what, new Error(`no answer within ${ms} ms`)));
    const timer = setTimeout(() => setImmediate(() => setImmediate(timeOut)), ms);
    work()
      .then(done, fail)
      .finally(() => clearTimeout(timer));
  });
}
