import type { Logger } from 'pino';
import { Unavailable } from '../../application/unavailable.js';
import type { KeyFormat } from '../../domain/keys/key-value.js';
import type { Metrics } from './metrics.js';

type Labels = { readonly method: string; readonly route: string; readonly status: number };

/** What is logged and measured of the requests of one listener. */
export function listenerLog(
  parts: { readonly log: Logger; readonly metrics: Metrics; readonly keyFormat: Pick<KeyFormat, 'redact'> },
  listener: 'public' | 'internal',
) {
  const log = parts.log.child({ listener });
  const { metrics, keyFormat } = parts;
  return {
    requestLog: {
      redact: keyFormat.redact,
      /** Null where the log is set to say less than that. */
      record: log.isLevelEnabled('info') ? (record: object) => log.info(record, 'request') : null,
      recordPoll: log.isLevelEnabled('debug') ? (record: object) => log.debug(record, 'request') : null,
      measure: ({ method, route, status }: Labels, seconds: number) =>
        metrics.request({ listener, method, route, status }, seconds),
    },
    /** A request that never became one. */
    unparsed: (record: object) => log.info(record, 'unparsed request'),
    reportFault: (fault: unknown, requestId: string) =>
      log[levelOf(fault)]({ err: fault, request_id: requestId }, 'fault'),
    // Faults are answered and reported by `faults`. What is left to Koa is mostly a caller that went
    // away, which its line in the log tells already.
    onError: (fault: unknown) => {
      if (!isGone(fault)) log.error({ err: fault }, 'fault');
    },
    wrongTokens: (address: string) => log.warn({ address }, 'wrong tokens came from this address'),
  };
}

/** A part that is known to be away has had its line; then there is no cause to tell. */
function levelOf(fault: unknown): 'error' | 'warn' | 'debug' {
  if (!(fault instanceof Unavailable)) return 'error';
  return fault.cause === undefined ? 'debug' : 'warn';
}

const isGone = (fault: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes((fault as { readonly code?: string }).code ?? '');
