import type { Logger } from 'pino';

const LAST_LINES_MS = 1_000;

/** The signals end the service in order; a second one ends it at once (T8). */
export function stopOnSignals(parts: {
  readonly stop: () => Promise<void>;
  readonly log: Logger;
  readonly signals?: readonly NodeJS.Signals[];
  /** What a second signal does first; null: it does nothing. */
  readonly atOnce?: (() => void) | null;
}): void {
  const { stop, log, signals = ['SIGTERM', 'SIGINT'], atOnce = () => {} } = parts;
  let stopping = false;
  const onSignal = async (signal: string) => {
    if (stopping) {
      if (atOnce === null) return;
      atOnce();
      process.exit(1);
    }
    stopping = true;
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
