import type { PartState } from '../adapters/http/operations/health.js';

/** What a layer leaves to be done around the listeners. */
export class Hooks {
  readonly #starters: ((told: AbortSignal) => Promise<void>)[] = [];
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #reports: (() => PartState)[] = [];

  /** Is run before the service listens, in the order given. It ends early when told to. */
  readonly starting = (start: (told: AbortSignal) => Promise<void>): void => void this.#starters.push(start);

  /** Is run on shutdown, in reverse order. */
  readonly closing = (close: () => Promise<void>): void => void this.#closers.unshift(close);

  readonly running = (server: { start(): Promise<void>; close(): Promise<void> }): void => {
    this.starting(() => server.start());
    this.closing(() => server.close());
  };

  /** Adds a part to what `/readyz` tells, in the order given. */
  readonly reporting = (report: () => PartState): void => void this.#reports.push(report);

  readonly states = (): readonly PartState[] => this.#reports.map((report) => report());

  readonly open = async (told: AbortSignal): Promise<void> => {
    for (const start of this.#starters) await start(told);
  };

  readonly close = async (): Promise<void> => {
    for (const close of this.#closers) await close();
  };
}
