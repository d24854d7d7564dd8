import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestTrace } from './request-traces.js';

const traces = new AsyncLocalStorage<RequestTrace>();

/** The traces whose work has not ended. */
let running = 0;

/**
 * Runs `work` within the trace of a request, so that log lines and calls of other services find it. While a trace runs,
 * every promise of the process is a little slower; without one, nothing is. What `work` starts and does not wait for may
 * find no trace.
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

function ended(): void {
  running -= 1;
  if (running === 0) traces.disable();
}

/** The trace of the request that is being answered; null outside of a trace. */
export const currentTrace = (): RequestTrace | null => traces.getStore() ?? null;

/** What the trace adds to each log line. */
export const traceFields = (): { readonly trace_id?: string; readonly span_id?: string } => {
  const trace = traces.getStore();
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
};
