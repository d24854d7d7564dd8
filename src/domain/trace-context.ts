/** A place in a trace (W3C Trace Context): the trace, a span of it, and whether its caller records it. */
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

/** The header `traceparent` for a request to another service. */
export const traceParentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
