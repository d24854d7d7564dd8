import type { Unwritable } from '../../application/unavailable.js';
import { Breaker, type Pauses } from './breaker.js';
import { Writability } from './writability.js';

/** A server in the response of `/readyz`. */
type ServerState = { readonly dependency: string; readonly state: 'up' | 'degraded'; readonly text: string };

type Log = Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;

type Gauges = {
  dependencyUp(dependency: string, isUp: boolean): void;
  dependencyWritable(dependency: string, isWritable: boolean): void;
};

/** Where changes are reported. Both fields are read only when the service starts. */
export type Reporting = { readonly log: Log; readonly metrics: Gauges };

/** Functions that register work: before the service listens, on shutdown, and for `/readyz`. */
export type Hooks = {
  readonly starting: (start: () => Promise<void>) => void;
  readonly closing: (close: () => Promise<void>) => void;
  readonly reporting: (report: () => ServerState) => void;
};

/** The texts about a server in the log and in `/readyz`. */
export type DependencyText = {
  readonly dependency: string;
  readonly up: string;
  /** The consequences for users while the server cannot be used. */
  readonly unreachable: string;
  /** Why the server cannot be used, if something else than the server knows it. */
  readonly cause?: () => string | null;
};

/** The consequences for users while a store answers but refuses writes. */
const CONSEQUENCES = 'publishing, operator actions, sign-in and webhooks get 503; reads still work';

/** Why a store refuses writes, and the consequences, for operators; null while it accepts them. */
export const limitationOf = ({ refusal }: Pick<Writability, 'refusal'>): string | null =>
  refusal === null ? null : `cannot be written to: ${refusal.reason}; ${CONSEQUENCES}`;

/**
 * The breaker of a server without which the service can run for some time. Each change of its state is logged and set
 * in a gauge, and `/readyz` shows the state. `limitation` returns the limitation of a server that answers, null if it
 * has none.
 */
export function monitoredBreaker(
  reporting: Reporting & { readonly pauses: Pauses },
  { starting, closing, reporting: onReadyz }: Hooks,
  { dependency, up, unreachable, cause: causeOf = () => null }: DependencyText,
  probe: () => Promise<unknown>,
  limitation: () => string | null = () => null,
): Breaker {
  const breaker = new Breaker({ what: dependency, probe, pauses: reporting.pauses });
  onReadyz(() => {
    const away = () => [causeOf(), unreachable].filter((each) => each !== null).join('; ');
    const degraded = breaker.state === 'closed' ? limitation() : away();
    return degraded === null
      ? { dependency, state: 'up', text: up }
      : { dependency, state: 'degraded', text: degraded };
  });
  starting(async () => {
    const { log, metrics } = reporting;
    metrics.dependencyUp(dependency, true);
    breaker.onChange((state, cause) => {
      metrics.dependencyUp(dependency, state === 'closed');
      if (state === 'closed') log.info({ dependency }, `${dependency} can be used again: ${up}`);
      else log.warn({ dependency, err: cause }, `${dependency} cannot be used: ${unreachable}`);
    });
    await breaker.start();
  });
  closing(async () => breaker.stop());
  return breaker;
}

/** Monitors whether a store accepts writes. Each change of its state is logged and set in a gauge. */
export function monitoredWrites(
  reporting: Reporting,
  { starting, closing }: Pick<Hooks, 'starting' | 'closing'>,
  dependency: string,
  probe: (refusal: Unwritable | null) => Promise<void>,
  answersReads: () => boolean,
): Writability {
  const writability = new Writability({ what: dependency, probe, answersReads });
  starting(async () => {
    const { log, metrics } = reporting;
    metrics.dependencyWritable(dependency, true);
    writability.onChange((refusal) => {
      metrics.dependencyWritable(dependency, refusal === null);
      if (refusal === null) log.info({ dependency }, `${dependency} accepts writes again`);
      else log.warn({ dependency, err: refusal.cause }, `${dependency} ${limitationOf(writability)}`);
    });
    await writability.start();
  });
  closing(async () => writability.stop());
  return writability;
}
