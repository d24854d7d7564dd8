import type { EventEmitter } from 'node:events';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../../settings/log-level.js';
import { traceFields } from '../tracing/current-trace.js';

/** Writes of at most this size to a pipe are atomic, so lines of several processes do not mix. */
const ATOMIC_WRITE_BYTES = 4_096;
/** The buffer for a reader that does not read. If it is full, further lines are lost. */
const BUFFERED_BYTES_MAX = 16 * 1_024 * 1_024;

/** Calls `done` when all lines are written. pino requires this name. */
type Flushing = { readonly flush: (done?: (fault?: Error) => void) => void };

/**
 * Writes asynchronously to a file descriptor. If the reader stops reading, lines are lost, but the memory stays
 * bounded (D115).
 */
export const boundedDestination = (fd?: number): DestinationStream & EventEmitter & Flushing =>
  pino.destination({
    ...(fd !== undefined && { fd }),
    sync: false,
    minLength: 1, // With 0, `flush` would not wait until all lines are written.
    maxWrite: ATOMIC_WRITE_BYTES,
    maxLength: BUFFERED_BYTES_MAX,
  });

/**
 * Logs one JSON object per line, by default to standard output. Lines are written in batches and asynchronously, so no
 * request waits for a reader of the log. The remaining lines are written when the process exits.
 */
export const jsonLog = (level: LogLevel, destination: DestinationStream = boundedDestination()): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, mixin: traceFields }, destination);
