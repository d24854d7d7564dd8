import { Unavailable } from '../../application/unavailable.js';

/** Lets so many calls run at once; more wait for their turn, and beyond what may wait they are refused. */
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
    if (this.#waiting.length >= this.#waitingMax) throw new Unavailable('a turn', new Error('too many wait'));
    await new Promise<void>((go) => this.#waiting.push(go));
  }

  /** Whoever waits longest takes the place over. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

type Asked = (...args: readonly unknown[]) => Promise<unknown>;

/** A port whose calls share a throttle with others. Every method that is asked of it answers a promise. */
export const throttled = <Port extends object>(port: Port, throttle: Throttle): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) =>
        throttle.run(() => (method as Asked).apply(target, args as unknown[]));
    },
  });

/** Several ports that share one throttle. */
export const throttledPorts = <Ports extends Readonly<Record<string, object>>>(
  ports: Ports,
  throttle: Throttle,
): Ports =>
  Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, throttled(port, throttle)])) as Ports;
