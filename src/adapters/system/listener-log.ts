import type { Logger } from 'pino';
import { Unavailable } from '../../application/unavailable.js';
import type { KeyFormat } from '../../domain/keys/key-value.js';
import type { Metrics } from './metrics/metrics.js';

type Labels = { readonly method: string; readonly route: string; readonly status: number };

/** Logs and measures the requests of one listener. */
export function listenerLog(
  parts: { readonly log: Logger; readonly metrics: Metrics; readonly keyFormat: Pick<KeyFormat, 'redact'> },
  listener: 'public' | 'internal',
) {
  const log = parts.log.child({ listener });
  const { metrics, keyFormat } = parts;
  return {
    listener,
    requestLog: {
      redact: keyFormat.redact,
      /** Null if the log level is above `info`. */
      record: log.isLevelEnabled('info') ? (record: object) => log.info(record, 'request') : null,
      recordPoll: log.isLevelEnabled('debug') ? (record: object) => log.debug(record, 'request') : null,
      measure: ({ method, route, status }: Labels, seconds: number) =>
        metrics.request({ listener, method, route, status }, seconds),
    },
    /** Logs bytes that could not be parsed as a request. */
    unparsed: (record: object) => log.info(record, 'unparsed request'),
    reportFault: (fault: unknown, requestId: string) =>
      log[levelOf(fault)]({ err: fault, request_id: requestId }, 'a request failed'),
    // The middleware `faults` answers and reports errors. Most other errors are clients that closed the connection,
    // which the access log already shows.
    onError: (fault: unknown) => {
      if (!isClosedByCaller(fault)) log.error({ err: fault }, 'a request failed');
    },
    lostEvents: (requestId: string) =>
      log.warn(
        { request_id: requestId },
        'refused a malformed Last-Event-ID: an EventSource gives up after this',
      ),
    wrongTokens: (address: string) => log.warn({ address }, 'received wrong tokens from this address'),
  };
}

/** An `Unavailable` without a cause is `debug`, because the outage was logged when it began. */
function levelOf(fault: unknown): 'error' | 'warn' | 'debug' {
  if (!(fault instanceof Unavailable)) return 'error';
  return fault.cause === undefined ? 'debug' : 'warn';
}

/** The last code is that of a body that was not read to its end. */
const CLOSED_BY_CALLER = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'];

const isClosedByCaller = (fault: unknown): boolean =>
  CLOSED_BY_CALLER.includes((fault as { readonly code?: string }).code ?? '');
