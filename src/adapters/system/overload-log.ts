import type { Logger } from 'pino';
import type { OverloadNotes } from '../../application/ports/overload-notes.js';
import type { RequestPriority } from '../../domain/limits/iteration-budget.js';

/** Refused requests have no line of their own in the log: there are thousands of them. */
const EVERY_MS = 10_000;

/** Notes overload in the metrics, and in one line of the log each 10 s. */
export function overloadLog(log: Pick<Logger, 'warn'>, metrics: OverloadNotes): OverloadNotes {
  let refused = 0;
  let resets = 0;
  let isTimed = false;
  const logCounts = () => {
    isTimed = false;
    log.warn(
      { refused, accept_queue_resets: resets },
      'overload: more requests arrived than this process answers in time',
    );
    [refused, resets] = [0, 0];
  };
  const logLater = () => {
    if (isTimed) return;
    isTimed = true;
    setTimeout(logCounts, EVERY_MS).unref();
  };
  return {
    refused: (priority: RequestPriority) => {
      metrics.refused(priority);
      refused += 1;
      logLater();
    },
    queueEmptied: (delayMs) => {
      metrics.queueEmptied(delayMs);
      resets += 1;
      logLater();
    },
    iterationEnded: metrics.iterationEnded,
  };
}
