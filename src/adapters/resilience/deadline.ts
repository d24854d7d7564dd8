import { Unavailable } from '../../application/unavailable.js';

/**
 * The answer of `work`, unless it takes longer: then `Unavailable`, and what it still brings is ignored.
 *
 * An answer that is there already counts, however late this process comes to read it: once the time is
 * up the event loop is let round to the sockets before the work is given up.
 */
export function withDeadline<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const giveUp = () => fail(new Unavailable(what, new Error(`no answer within ${ms} ms`)));
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms);
    work()
      .then(done, fail)
      .finally(() => clearTimeout(timer));
  });
}
