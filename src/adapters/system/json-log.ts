import { type DestinationStream, type Logger, pino } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * One JSON object a line, on standard output unless told otherwise. There, lines are written together and beside the
 * work: no request waits for a reader of the log. What is not written when the process ends is written then.
 */
export const jsonLog = (
  level: LogLevel,
  destination: DestinationStream = pino.destination({ sync: false }),
): Logger => pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
