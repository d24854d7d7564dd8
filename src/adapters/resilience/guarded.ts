import type { Breaker } from './breaker.js';
import { withDeadline } from './deadline.js';

type Method = (...args: readonly unknown[]) => unknown;

/** A port whose methods may all return a promise. Through a breaker, every method returns one. */
export type PromisePort<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: never[]) => infer Answer
    ? Promise<Awaited<Answer>> extends Answer
      ? Port[Name]
      : never
    : never;
};

/**
 * A port whose methods all run through a breaker, with a deadline in milliseconds if `deadlines` has one. The breaker sees how a
 * call ends, and not that its caller has given up: a call may have waited in line, which says nothing about the server.
 */
export const guarded = <Port extends PromisePort<Port>>(
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
      const call = async (...args: readonly unknown[]) => (method as Method).apply(target, args as unknown[]);
      return (...args: readonly unknown[]) => {
        const run = () => breaker.run(() => call(...args));
        return ms === undefined ? run() : withDeadline(ms, what, run);
      };
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
