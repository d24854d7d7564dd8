import { accessLog } from '../adapters/http/access-log.js';
import { faults } from '../adapters/http/answer/faults.js';
import { problemReferences } from '../adapters/http/answer/service-links.js';
import { keepRequest } from '../adapters/http/keep-request.js';
import { draining } from '../adapters/http/listener/draining.js';
import { requestStart } from '../adapters/http/listener/request-start.js';
import { listenerLog } from '../adapters/system/listener-log.js';
import { tracing } from '../adapters/tracing/tracing.js';
import { type Made, overlay } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import type { DestinationParts } from './destinations.js';

/** The log of each listener. */
export const listenerLogs = (parts: DestinationParts, { running }: Hooks) => ({
  tracing: () => running(tracing(parts)),
  publicLog: () => {
    const log = listenerLog(parts, 'public');
    const keep = keepRequest(overlay(parts, { redact: parts.keyFormat.redact }));
    return { ...log, requestLog: { ...log.requestLog, keep } };
  },
  internalLog: () => listenerLog(parts, 'internal'),
});

export type ListenerParts = DestinationParts & Made<typeof listenerLogs>;

/** The middleware that every request of a listener passes first. */
export function firstMiddleware(parts: ListenerParts, log: ListenerParts['publicLog' | 'internalLog']) {
  const { lifecycle } = parts;
  return {
    onError: log.onError,
    requestStart: requestStart(parts, problemReferences(parts, log.listener)),
    accessLog: accessLog(log.requestLog),
    draining: draining(lifecycle.isDraining),
    faults: faults(log.reportFault),
  };
}
