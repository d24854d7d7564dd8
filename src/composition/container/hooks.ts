import type { DependencyState } from '../../adapters/http/operations/health.js';

/** Functions that layers register: they run before the service listens, on shutdown, and for `/readyz`. */
export class Hooks {
  readonly #starters: ((signal: AbortSignal) => Promise<void>)[] = [];
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #reports: (() => DependencyState)[] = [];

  /** Runs before the service listens, in order of registration. It must return early when the signal is aborted. */
  readonly starting = (start: (signal: AbortSignal) => Promise<void>): void =>
    void this.#starters.push(start);

  /** Runs on shutdown, in reverse order of registration. */
  readonly closing = (close: () => Promise<void>): void => void this.#closers.unshift(close);

  /** Registers a component that starts before the service listens and closes on shutdown. */
  readonly running = <Server extends { start(): Promise<void>; close(): Promise<void> }>(server: Server) => {
    this.starting(() => server.start());
    this.closing(() => server.close());
    return server;
  };

  /** Adds an entry to `/readyz`, in order of registration. */
  readonly reporting = (report: () => DependencyState): void => void this.#reports.push(report);

  readonly states = (): readonly DependencyState[] => this.#reports.map((report) => report());

  readonly open = async (signal: AbortSignal): Promise<void> => {
    for (const start of this.#starters) await start(signal);
  };

  readonly close = async (): Promise<void> => {
    for (const close of this.#closers) await close();
  };
}
