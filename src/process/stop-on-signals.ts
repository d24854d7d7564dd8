import type { Logger } from 'pino';

const LOG_FLUSH_MS = 1_000;

/**
 * npm forwards every signal that it receives. A signal to the whole process group (Ctrl-C, systemd) therefore arrives
 * twice within milliseconds. The copy from npm must not count as a second signal.
 */
const FORWARDED_WITHIN_MS = process.env['npm_lifecycle_event'] === undefined ? 0 : 500;

/** The first signal starts an orderly shutdown, a second one ends the process immediately (T8). */
export function stopOnSignals(parts: {
  readonly stop: () => Promise<void>;
  readonly log: Logger;
  readonly signals?: readonly NodeJS.Signals[];
  /** Runs at a second signal, before the process exits. Null: a second signal has no effect. */
  readonly onSecondSignal?: (() => void) | null;
}): void {
  const { stop, log, signals = ['SIGTERM', 'SIGINT'], onSecondSignal = () => {} } = parts;
  let first: { readonly signal: string; readonly at: number } | undefined;
  const onSignal = async (signal: string) => {
    if (first !== undefined) {
      const isForwarded = first.signal === signal && performance.now() - first.at < FORWARDED_WITHIN_MS;
      if (onSecondSignal === null || isForwarded) return;
      onSecondSignal();
      process.exit(1);
    }
    first = { signal, at: performance.now() };
    log.info({ signal }, 'stopping');
    const code = await stop().then(
      () => 0,
      (fault: unknown) => {
        log.error({ err: fault }, 'shutdown failed');
        return 1;
      },
    );
    // Waits until the log is written. A blocked reader of the log delays the exit by at most one second.
    setTimeout(() => process.exit(code), LOG_FLUSH_MS);
    log.flush(() => process.exit(code));
  };
  for (const signal of signals) process.on(signal, onSignal);
}
