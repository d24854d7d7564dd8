import type { Unwritable } from '../../application/unavailable.js';
import { Breaker } from './breaker.js';
import { Writability } from './writability.js';

/** What `/readyz` tells of a server. */
type ServerState = { readonly dependency: string; readonly state: 'up' | 'degraded'; readonly text: string };

type Log = Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;

type Gauges = {
  dependencyUp(dependency: string, isUp: boolean): void;
  dependencyWritable(dependency: string, isWritable: boolean): void;
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
export type DependencyText = {
  readonly dependency: string;
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
export function monitoredBreaker(
  telling: Telling,
  { starting, closing, reporting }: Hooks,
  { dependency, up, away }: DependencyText,
  probe: () => Promise<unknown>,
  limitation: () => string | null = () => null,
): Breaker {
  const breaker = new Breaker({ what: dependency, probe });
  reporting(() => {
    const degraded = breaker.state === 'closed' ? limitation() : away;
    return degraded === null
      ? { dependency, state: 'up', text: up }
      : { dependency, state: 'degraded', text: degraded };
  });
  starting(async () => {
    const { log, metrics } = telling;
    metrics.dependencyUp(dependency, true);
    breaker.onChange((state, cause) => {
      metrics.dependencyUp(dependency, state === 'closed');
      if (state === 'closed') log.info({ dependency }, `${dependency} is back: ${up}`);
      else log.warn({ dependency, err: cause }, `${dependency} is away: ${away}`);
    });
    await breaker.start();
  });
  closing(async () => breaker.stop());
  return breaker;
}

/** Watches whether a store that answers takes writes: one line of the log for each change, and a gauge. */
export function monitoredWrites(
  telling: Telling,
  { starting, closing }: Pick<Hooks, 'starting' | 'closing'>,
  dependency: string,
  probe: (refusal: Unwritable | null) => Promise<void>,
): Writability {
  const writability = new Writability({ what: dependency, probe });
  starting(async () => {
    const { log, metrics } = telling;
    metrics.dependencyWritable(dependency, true);
    writability.onChange((refusal) => {
      metrics.dependencyWritable(dependency, refusal === null);
      if (refusal === null) log.info({ dependency }, `${dependency} can be written to again`);
      else log.warn({ dependency, err: refusal.cause }, `${dependency} ${limitationOf(writability)}`);
    });
    await writability.start();
  });
  closing(async () => writability.stop());
  return writability;
}
