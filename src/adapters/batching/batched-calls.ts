type Call<Given, Answer> = {
  readonly given: Given;
  readonly done: (answer: Answer) => void;
  readonly fail: (fault: unknown) => void;
};

type Batching<Given, Answer> = {
  /** Calls of different groups never share a batch. Without it, all calls are of one group. */
  readonly groupOf?: (given: Given) => string;
  readonly callsMax: number;
  readonly concurrentMax: number;
  /** Returns the answers in the order of the calls. If it fails, every call of the batch fails. */
  readonly run: (batch: readonly Given[]) => Promise<readonly Answer[]>;
};

/**
 * Runs calls to a server in batches, few at a time, because most of the cost of a call is that of a query or a command. The calls
 * of one turn of the event loop share a batch, and so do those that wait while `concurrentMax` batches run. A call never joins a
 * batch that has begun: it could miss what was written before the call.
 */
export class BatchedCalls<Given, Answer> {
  readonly #batching: Batching<Given, Answer>;
  /** The calls that are not sent yet, by group. */
  readonly #waiting = new Map<string, Call<Given, Answer>[]>();
  #running = 0;
  #isScheduled = false;

  constructor(batching: Batching<Given, Answer>) {
    this.#batching = batching;
  }

  call(given: Given): Promise<Answer> {
    return new Promise((done, fail) => this.#add({ given, done, fail }));
  }

  #add(call: Call<Given, Answer>): void {
    const group = this.#batching.groupOf?.(call.given) ?? '';
    const calls = this.#waiting.get(group);
    if (calls === undefined) this.#waiting.set(group, [call]);
    else calls.push(call);
    this.#schedule();
  }

  /** After all input of this turn is read. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    for (const [group, calls] of this.#waiting) {
      while (calls.length > 0) {
        if (this.#running >= this.#batching.concurrentMax) return;
        void this.#run(calls.splice(0, this.#batching.callsMax));
      }
      this.#waiting.delete(group);
    }
  }

  async #run(calls: readonly Call<Given, Answer>[]): Promise<void> {
    this.#running += 1;
    try {
      const answers = await this.#batching.run(calls.map(({ given }) => given));
      for (const [i, { done }] of calls.entries()) done(answers[i] as Answer);
    } catch (fault) {
      for (const { fail } of calls) fail(fault);
    } finally {
      this.#running -= 1;
      this.#send();
    }
  }
}
