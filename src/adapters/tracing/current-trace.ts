import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestTrace } from './request-traces.js';

const traces = new AsyncLocalStorage<RequestTrace>();

/** How long work that a request started and did not wait for finds its trace, for example an email that could not be sent. */
const LATE_WORK_MS = 60_000;

/** The traces whose work has not ended. */
let running = 0;
/** Set while work of ended requests may still run. */
let lateWork: NodeJS.Timeout | null = null;

/**
 * Runs `work` within the trace of a request, so that log lines and calls of other services find it. While a trace runs,
 * every promise of the process is a little slower; without one, nothing is.
 */
export function withinTrace<Result>(trace: RequestTrace | null, work: () => Result): Result {
  if (trace === null) return work();
  running += 1;
  let isLate = false;
  try {
    const result = traces.run(trace, work);
    isLate = result instanceof Promise;
    if (result instanceof Promise) result.then(ended, ended);
    return result;
  } finally {
    if (!isLate) ended();
  }
}

/** As `withinTrace`, for work that may start more work and not wait for it. That work finds the trace for a minute. */
export function withinTraceAndAfter<Result>(trace: RequestTrace | null, work: () => Result): Result {
  if (trace !== null) {
    lateWork ??= setTimeout(lateWorkEnded, LATE_WORK_MS).unref();
    lateWork.refresh();
  }
  return withinTrace(trace, work);
}

function ended(): void {
  running -= 1;
  disableUnlessNeeded();
}

function lateWorkEnded(): void {
  lateWork = null;
  disableUnlessNeeded();
}

function disableUnlessNeeded(): void {
  if (running === 0 && lateWork === null) traces.disable();
}

/** The trace of the request that is being answered; null outside of a trace. */
export const currentTrace = (): RequestTrace | null => traces.getStore() ?? null;

/** What the trace adds to each log line. */
export const traceFields = (): { readonly trace_id?: string; readonly span_id?: string } => {
  const trace = traces.getStore();
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
};
