import { randomBytes } from 'node:crypto';
import { isRecorded, readTraceParent, type Sampling, type TraceContext } from './trace-context.js';

/** What a span says about a request that was answered, or that this service made. */
export type EndedSpan = {
  readonly kind: 'server' | 'client';
  readonly name: string;
  readonly context: TraceContext;
  /** Null: the span is the first one of its trace. */
  readonly parentSpanId: string | null;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
};

/** The trace of a request that is being answered; `spanId` is that of its own span. */
export type RequestTrace = TraceContext & {
  readonly parentSpanId: string | null;
  /** Records a span of the trace; null if nobody records the trace. */
  readonly record: ((span: EndedSpan) => void) | null;
};

export type BeginTrace = (traceParent: string | undefined) => RequestTrace | null;

type Settings = Sampling & {
  /** Null: spans are not recorded. */
  readonly record: ((span: EndedSpan) => void) | null;
};

/** Continues the trace of the caller, or begins one for a share of the other requests. */
export const requestTraces =
  ({ record, ...sampling }: Settings): BeginTrace =>
  (traceParent) => {
    const sent = traceParent === undefined ? null : readTraceParent(traceParent);
    // Without a collector, only the word of a trusted caller is passed on.
    const isSampled = isRecorded(
      sent,
      record === null ? { ...sampling, percent: 0 } : sampling,
      Math.random(),
    );
    if (sent !== null) {
      const { traceId, spanId: parentSpanId } = sent;
      return { traceId, spanId: newSpanId(), parentSpanId, isSampled, record: isSampled ? record : null };
    }
    if (record === null || !isSampled) return null;
    const traceId = randomBytes(16).toString('hex');
    return { traceId, spanId: newSpanId(), parentSpanId: null, isSampled: true, record };
  };

export const newSpanId = (): string => randomBytes(8).toString('hex');
