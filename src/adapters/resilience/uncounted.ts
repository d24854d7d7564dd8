import { NotNow, Unavailable } from '../../application/unavailable.js';
import type { Breaker } from './breaker.js';

type Calls = Pick<Breaker, 'run'>;

/**
 * A breaker for calls that may take long by themselves: when one gets no answer in time, this is no evidence about the
 * server, and must not open the breaker for all other calls. An open breaker refuses these calls too.
 */
export const uncounted = (breaker: Calls, what: string): Calls => ({
  run: (work) =>
    breaker.run(() =>
      work().catch((fault: unknown) => {
        if (!(fault instanceof Unavailable) || fault instanceof NotNow) throw fault;
        throw new NotNow(what, fault, 'did not answer in time');
      }),
    ),
});
