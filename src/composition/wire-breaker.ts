import { Breaker } from '../adapters/resilience/breaker.js';
import { LOG, METRICS, type Wiring } from './parts.js';

/** How a part is told of: in one line of the log for each change, at `/readyz`, and as a gauge. */
export type Words = {
  readonly part: string;
  readonly up: string;
  /** What is different for users while it is away. */
  readonly away: string;
};

/**
 * The breaker of a server that the service leans on and can do without for a while. `limitation` says what such a server
 * does not do although it answers; null where it does everything.
 */
export function wireBreaker(
  wiring: Wiring,
  words: Words,
  probe: () => Promise<unknown>,
  limitation: () => string | null = () => null,
): Breaker {
  const { get, starting, closing, reporting } = wiring;
  const { part, up, away } = words;
  const breaker = new Breaker({ what: part, probe });
  reporting(() => {
    const degraded = breaker.state === 'closed' ? limitation() : away;
    return degraded === null
      ? { part, state: 'up', words: up }
      : { part, state: 'degraded', words: degraded };
  });
  starting(async () => {
    get(METRICS).partUp(part, true);
    breaker.onChange((state, cause) => {
      get(METRICS).partUp(part, state === 'closed');
      if (state === 'closed') get(LOG).info({ part }, `${part} is back: ${up}`);
      else get(LOG).warn({ part, err: cause }, `${part} is away: ${away}`);
    });
    await breaker.start();
  });
  closing(async () => breaker.stop());
  return breaker;
}
