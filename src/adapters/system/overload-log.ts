import type { Logger } from 'pino';
import type { OverloadNotes } from '../../application/ports/overload-notes.js';
import type { RequestPriority } from '../../domain/limits/iteration-budget.js';

/** Refused requests have no line of their own in the log: there are thousands of them. */
const EVERY_MS = 10_000;

/** Notes overload in the metrics, and in one line of the log each 10 s. `now` is a monotonic clock in milliseconds. */
export function overloadLog(
  log: Pick<Logger, 'warn'>,
  metrics: OverloadNotes,
  now: () => number = () => performance.now(),
): OverloadNotes {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let refused = 0;
  const logSometimes = (message: string, fields: Readonly<Record<string, number>>) => {
    if (now() - loggedAt < EVERY_MS) return;
    loggedAt = now();
    log.warn({ ...fields, refused }, message);
    refused = 0;
  };
  return {
    refused: (priority: RequestPriority) => {
      metrics.refused(priority);
      refused += 1;
      logSometimes(
        'overload: requests are refused, because more arrive than this process answers in time',
        {},
      );
    },
    queueEmptied: (delayMs) => {
      metrics.queueEmptied(delayMs);
      logSometimes('overload: connections that were not accepted in time were reset', {
        delay_ms: Math.round(delayMs),
      });
    },
    iterationEnded: metrics.iterationEnded,
  };
}
