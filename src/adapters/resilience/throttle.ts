import { Unavailable } from '../../application/unavailable.js';

/** Limits concurrent calls to `max`. Up to `waitingMax` more wait in order; beyond that it throws `Unavailable`. */
export class Throttle {
  readonly #max: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ max, waitingMax }: { readonly max: number; readonly waitingMax: number }) {
    this.#max = max;
    this.#waitingMax = waitingMax;
  }

  async run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < this.#max) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#waitingMax) {
      throw new Unavailable('the queue', new Error('too many calls are waiting'), 'is full');
    }
    await new Promise<void>((resume) => this.#waiting.push(resume));
  }

  /** Resumes the call that has waited longest, if any. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** A port whose calls run through a throttle. All its methods must return promises. */
export const throttled = <Port extends object>(port: Port, throttle: Throttle): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) =>
        throttle.run(() => (method as Method).apply(target, args as unknown[]));
    },
  });

/** Several ports that share one throttle. */
export const throttledPorts = <Ports extends Readonly<Record<string, object>>>(
  ports: Ports,
  throttle: Throttle,
): Ports =>
  Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, throttled(port, throttle)])) as Ports;
