import { Unavailable } from '../../application/unavailable.js';

/**
 * The result of `work`. Throws `Unavailable` if it takes longer than `ms` milliseconds; a later result is ignored.
 *
 * An answer that has arrived in time counts even if this process was too busy to read it. So after the timeout the event
 * loop reads the sockets once more before the call fails.
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
