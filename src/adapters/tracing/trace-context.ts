/** A place in a trace (W3C Trace Context, D120): the trace, a span of it, and whether its caller records it. */
export type TraceContext = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
};

const TRACE_PARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST = 256;
const SAMPLED = 1;

/**
 * Reads the header `traceparent`; null if it is not valid: then the request belongs to no trace. Later versions may have
 * more fields at the end.
 */
export function readTraceParent(header: string): TraceContext | null {
  if (header.length > LONGEST) return null;
  const [, version, traceId, spanId, flags = '', more] = TRACE_PARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  if (version === '00' && more !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** Whose word counts about the recording of a trace, and the share of the other requests that are recorded. */
export type Sampling = { readonly trustsCallers: boolean; readonly percent: number };

const PERCENT = 100;

/**
 * Whether the trace of a request is recorded. A caller decides it only if a trusted proxy passed its request on: otherwise
 * anyone could have all of their requests recorded. `random` is from 0 to 1.
 */
export const isRecorded = (
  sent: TraceContext | null,
  { trustsCallers, percent }: Sampling,
  random: number,
): boolean => (sent !== null && trustsCallers ? sent.isSampled : random * PERCENT < percent);

/** The header `traceparent` for a request to another service. */
export const traceParentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
