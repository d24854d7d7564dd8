import { accessLog } from '../adapters/http/access-log.js';
import { faults } from '../adapters/http/answer/faults.js';
import { problemReferences } from '../adapters/http/answer/service-links.js';
import { draining } from '../adapters/http/listener/draining.js';
import { requestStart } from '../adapters/http/listener/request-start.js';
import { listenerLog } from '../adapters/system/listener-log.js';
import { tracing } from '../adapters/tracing/tracing.js';
import type { Made } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import type { DestinationParts } from './destinations.js';

/** The log of each listener. */
export const listenerLogs = (parts: DestinationParts, { running }: Hooks) => ({
  tracing: () => running(tracing(parts)),
  publicLog: () => listenerLog(parts, 'public'),
  internalLog: () => listenerLog(parts, 'internal'),
});

export type ListenerParts = DestinationParts & Made<typeof listenerLogs>;

/** The middleware that every request of a listener passes first. */
export function firstMiddleware(parts: ListenerParts, log: ListenerParts['publicLog']) {
  const { lifecycle } = parts;
  return {
    onError: log.onError,
    requestStart: requestStart(parts, problemReferences(parts, log.listener)),
    accessLog: accessLog(log.requestLog),
    draining: draining(lifecycle.isDraining),
    faults: faults(log.reportFault),
  };
}
