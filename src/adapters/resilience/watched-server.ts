import type { Unwritable } from '../../application/unavailable.js';
import { Breaker } from './breaker.js';
import { Writability } from './writability.js';

/** What `/readyz` tells of a server. */
type ServerState = { readonly part: string; readonly state: 'up' | 'degraded'; readonly words: string };

type Log = Readonly<Record<'info' | 'warn', (fields: object, words: string) => void>>;

type Gauges = {
  partUp(part: string, isUp: boolean): void;
  partWritable(part: string, isWritable: boolean): void;
};

/** Where changes are told; both are read at the start. */
type Telling = { readonly log: Log; readonly metrics: Gauges };

/** What runs before the service listens, what runs on shutdown, and what `/readyz` asks. */
type Hooks = {
  readonly starting: (start: () => Promise<void>) => void;
  readonly closing: (close: () => Promise<void>) => void;
  readonly reporting: (report: () => ServerState) => void;
};

/** How a server is told of. */
export type ServerWords = {
  readonly part: string;
  readonly up: string;
  /** What is different for users while it is away. */
  readonly away: string;
};

/** What is different for users while a store answers and takes no writes. */
const CONSEQUENCE = 'publishing, operating, signing in and webhooks are refused with 503, and reads go on';

/** Why a store takes no writes, and what that means, for an operator; null while it takes them. */
export const limitationOf = ({ refusal }: Pick<Writability, 'refusal'>): string | null =>
  refusal === null ? null : `cannot be written to: ${refusal.reason}; ${CONSEQUENCE}`;

/**
 * The breaker of a server that the service leans on and can do without for a while: one line of the log for each change,
 * a gauge, and a line of `/readyz`. `limitation` says what such a server does not do although it answers; null where it
 * does everything.
 */
export function watchedBreaker(
  telling: Telling,
  { starting, closing, reporting }: Hooks,
  { part, up, away }: ServerWords,
  probe: () => Promise<unknown>,
  limitation: () => string | null = () => null,
): Breaker {
  const breaker = new Breaker({ what: part, probe });
  reporting(() => {
    const degraded = breaker.state === 'closed' ? limitation() : away;
    return degraded === null
      ? { part, state: 'up', words: up }
      : { part, state: 'degraded', words: degraded };
  });
  starting(async () => {
    const { log, metrics } = telling;
    metrics.partUp(part, true);
    breaker.onChange((state, cause) => {
      metrics.partUp(part, state === 'closed');
      if (state === 'closed') log.info({ part }, `${part} is back: ${up}`);
      else log.warn({ part, err: cause }, `${part} is away: ${away}`);
    });
    await breaker.start();
  });
  closing(async () => breaker.stop());
  return breaker;
}

/** Watches whether a store that answers takes writes: one line of the log for each change, and a gauge. */
export function watchedWritability(
  telling: Telling,
  { starting, closing }: Pick<Hooks, 'starting' | 'closing'>,
  part: string,
  probe: (refusal: Unwritable | null) => Promise<void>,
): Writability {
  const writability = new Writability({ what: part, probe });
  starting(async () => {
    const { log, metrics } = telling;
    metrics.partWritable(part, true);
    writability.onChange((refusal) => {
      metrics.partWritable(part, refusal === null);
      if (refusal === null) log.info({ part }, `${part} can be written to again`);
      else log.warn({ part, err: refusal.cause }, `${part} ${limitationOf(writability)}`);
    });
    await writability.start();
  });
  closing(async () => writability.stop());
  return writability;
}
