import type { EventEmitter } from 'node:events';
import { type DestinationStream, type Logger, pino } from 'pino';

import type { LogLevel } from '../../settings/log-level.js';

/** A pipe takes so much in one piece: where several processes write to one, no line is torn apart. */
const PIECE_BYTES = 4_096;
/** What waits for a reader that stands still; lines beyond that are lost. */
const WAITING_BYTES = 16 * 1_024 * 1_024;

/** Calls `done` when all lines are written; pino asks for it under this name. */
type Flushing = { readonly flush: (done?: (fault?: Error) => void) => void };

/** Writes to a file descriptor beside the work; a reader that stands still costs lines, and never more memory. */
export const boundedDestination = (fd?: number): DestinationStream & EventEmitter & Flushing =>
  pino.destination({
    ...(fd !== undefined && { fd }),
    sync: false,
    minLength: 1, // Else nobody could wait until all is written.
    maxWrite: PIECE_BYTES,
    maxLength: WAITING_BYTES,
  });

/**
 * One JSON object a line, on standard output unless told otherwise. There, lines are written together and beside the
 * work: no request waits for a reader of the log. What is not written when the process ends is written then.
 */
export const jsonLog = (level: LogLevel, destination: DestinationStream = boundedDestination()): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
