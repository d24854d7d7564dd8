import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import type { DestinationStream, Logger } from 'pino';
import type PinoPretty from 'pino-pretty';
import type { LogFormat } from '../../settings/log-format.js';
import type { LogLevel } from '../../settings/log-level.js';
import { boundedDestination, jsonLog } from './json-log.js';

const STDOUT = 1;

const require = createRequire(import.meta.url);

/** The log of this process on standard output: readable lines on a terminal, else JSON (`LOG_FORMAT`). */
export const processLog = (settings: {
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}): Logger =>
  jsonLog(settings.logLevel, isPretty(settings.logFormat) ? prettyDestination() : boundedDestination());

// Not `process.stdout.isTTY`: reading `process.stdout` opens a second stream on the descriptor.
const isPretty = (format: LogFormat): boolean => format === 'pretty' || (format === 'auto' && isatty(STDOUT));

/**
 * Formats each JSON line as a readable one when it is logged: time, level, message, fields. It uses the same bounded
 * destination as JSON. The library is loaded here, so that a process that logs JSON does not load it.
 */
export function prettyDestination(
  destination: ReturnType<typeof boundedDestination> = boundedDestination(),
): DestinationStream & Pick<typeof destination, 'flush'> {
  const { prettyFactory } = require('pino-pretty') as typeof PinoPretty;
  const format = prettyFactory({ singleLine: true, translateTime: false });
  return {
    write: (line) => destination.write(format(JSON.parse(line, withoutControls))),
    flush: (done) => destination.flush(done),
  };
}

/** Stack traces need line breaks and tabs. Any other control character could start an escape sequence of a terminal. */
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

const withoutControls = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(CONTROLS, escaped) : value;

const escaped = (control: string): string =>
  `\\x${(control.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
