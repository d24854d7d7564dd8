import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestTrace } from './request-traces.js';

const traces = new AsyncLocalStorage<RequestTrace>();

/**
 * Runs `work` within the trace of a request, so that log lines and calls of other services find it. Without a trace it
 * costs nothing: the first trace makes each promise of the process a little slower.
 */
export const withinTrace = <Result>(trace: RequestTrace | null, work: () => Result): Result =>
  trace === null ? work() : traces.run(trace, work);

/** The trace of the request that is being answered; null outside of a trace. */
export const currentTrace = (): RequestTrace | null => traces.getStore() ?? null;

/** What the trace adds to each log line. */
export const traceFields = (): { readonly trace_id?: string; readonly span_id?: string } => {
  const trace = traces.getStore();
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
};
