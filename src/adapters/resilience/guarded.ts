import type { Breaker } from './breaker.js';
import { withDeadline } from './deadline.js';

type Asked = (...args: readonly unknown[]) => unknown;

/** A port of which every method may be answered with a promise: behind a breaker each one is. */
export type Answering<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (...args: never[]) => infer Answer
    ? Promise<Awaited<Answer>> extends Answer
      ? Port[Method]
      : never
    : never;
};

/**
 * A port behind a breaker: each of its methods is asked through it, and those that have a deadline
 * (milliseconds) are given no longer.
 */
export const guarded = <Port extends Answering<Port>>(
  port: Port,
  what: string,
  breaker: Pick<Breaker, 'run'>,
  deadlines: Readonly<Partial<Record<keyof Port, number>>>,
): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      const ms = deadlines[name as keyof Port];
      const ask = async (...args: readonly unknown[]) => (method as Asked).apply(target, args as unknown[]);
      return (...args: readonly unknown[]) =>
        breaker.run(() => (ms === undefined ? ask(...args) : withDeadline(ms, what, () => ask(...args))));
    },
  });

/** Several ports behind one breaker. */
export const guardedPorts = <Ports extends Readonly<Record<string, object>>>(
  ports: Ports,
  what: string,
  breaker: Pick<Breaker, 'run'>,
  deadlines: { readonly [Name in keyof Ports]?: Readonly<Partial<Record<keyof Ports[Name], number>>> },
): Ports =>
  Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, guarded(port, what, breaker, deadlines[name] ?? {})]),
  ) as Ports;
