import { Unavailable } from '../../../src/application/unavailable.js';
import { nextImmediate } from '../next-immediate.js';

/**
 * Answers of a store that arrive some turns of the event loop after the store has read, or not at all while it is away.
 */
export class SlowAnswers {
  isAway = false;
  readonly #immediates: () => number;

  /** `immediates` returns the number of turns for the next answer. */
  constructor(immediates: () => number) {
    this.#immediates = immediates;
  }

  /** A port whose calls answer late. */
  around<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: readonly unknown[]) => this.#later(() => member.apply(target, args));
      },
    });
  }

  async #later<T>(read: () => Promise<T>): Promise<T> {
    if (this.isAway) throw new Unavailable('the store');
    const answer = await read();
    for (let immediates = this.#immediates(); immediates > 0; immediates -= 1) await nextImmediate();
    if (this.isAway) throw new Unavailable('the store');
    return answer;
  }
}
