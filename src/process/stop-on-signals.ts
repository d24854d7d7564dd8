import type { Logger } from 'pino';

const LAST_LINES_MS = 1_000;

/**
 * npm forwards every signal that it receives. A signal to the whole process group (Ctrl-C, systemd) therefore arrives
 * twice within milliseconds; the copy must not count as the second signal.
 */
const FORWARDED_WITHIN_MS = process.env['npm_lifecycle_event'] === undefined ? 0 : 500;

/** The signals end the service in order; a second one ends it at once (T8). */
export function stopOnSignals(parts: {
  readonly stop: () => Promise<void>;
  readonly log: Logger;
  readonly signals?: readonly NodeJS.Signals[];
  /** What a second signal does first; null: it does nothing. */
  readonly atOnce?: (() => void) | null;
}): void {
  const { stop, log, signals = ['SIGTERM', 'SIGINT'], atOnce = () => {} } = parts;
  let first: { readonly signal: string; readonly at: number } | undefined;
  const onSignal = async (signal: string) => {
    if (first !== undefined) {
      const isForwarded = first.signal === signal && performance.now() - first.at < FORWARDED_WITHIN_MS;
      if (atOnce === null || isForwarded) return;
      atOnce();
      process.exit(1);
    }
    first = { signal, at: performance.now() };
    log.info({ signal }, 'stopping');
    const code = await stop().then(
      () => 0,
      (fault: unknown) => {
        log.error({ err: fault }, 'did not stop in order');
        return 1;
      },
    );
    // A line that is being written when the process ends would be lost. Nobody waits for a reader that stands still.
    setTimeout(() => process.exit(code), LAST_LINES_MS);
    log.flush(() => process.exit(code));
  };
  for (const signal of signals) process.on(signal, onSignal);
}
