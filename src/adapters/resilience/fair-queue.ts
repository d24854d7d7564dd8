import { NotNow } from '../../application/unavailable.js';

type Caller<Key> = { readonly key: Key; running: number; readonly waiting: (() => void)[] };

type Limits = {
  /** Calls at a time, of all callers. */
  readonly max: number;
  /** Calls at a time of one caller. */
  readonly perCaller: number;
  /** Further calls of one caller that wait. Beyond them, calls are refused. */
  readonly waitingPerCaller: number;
  /** A call that has waited longer is not made, because its caller has given up. */
  readonly waitMs: number;
};

/** Runs calls to a server that has room for few. Callers take turns, so that one with many calls waits for itself. */
export class FairQueue<Key> {
  readonly #what: string;
  readonly #limits: Limits;
  /** The callers with calls. The one whose turn is next comes first. */
  readonly #callers = new Map<Key, Caller<Key>>();
  #running = 0;

  constructor(what: string, limits: Limits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** Throws `NotNow`, without a cause because the server was not asked, if too many calls of the caller wait, or for too long. */
  async run<Answer>(key: Key, work: () => Promise<Answer>): Promise<Answer> {
    const caller = this.#callers.get(key) ?? { key, running: 0, waiting: [] };
    this.#callers.set(key, caller);
    const beganAt = performance.now();
    await this.#enter(caller);
    try {
      if (performance.now() - beganAt > this.#limits.waitMs)
        throw new NotNow(this.#what, undefined, 'had no room for this call in time');
      return await work();
    } finally {
      this.#leave(caller);
    }
  }

  async #enter(caller: Caller<Key>): Promise<void> {
    if (this.#hasRoom(caller)) return this.#begin(caller);
    if (caller.waiting.length >= this.#limits.waitingPerCaller)
      throw new NotNow(this.#what, undefined, 'has too many calls of this caller');
    await new Promise<void>((resume) => caller.waiting.push(resume));
  }

  #hasRoom({ running }: Caller<Key>): boolean {
    return this.#running < this.#limits.max && running < this.#limits.perCaller;
  }

  #begin(caller: Caller<Key>): void {
    this.#running += 1;
    caller.running += 1;
  }

  #leave(caller: Caller<Key>): void {
    this.#running -= 1;
    caller.running -= 1;
    for (const next of this.#callers.values()) {
      const resume = this.#hasRoom(next) ? next.waiting.shift() : undefined;
      if (resume === undefined) continue;
      this.#begin(next);
      this.#callers.delete(next.key);
      this.#callers.set(next.key, next);
      resume();
      break;
    }
    if (caller.running === 0 && caller.waiting.length === 0) this.#callers.delete(caller.key);
  }
}
