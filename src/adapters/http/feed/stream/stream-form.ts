import type { IncomingMessage } from 'node:http';
import { type MayTakeOver, takeoverOf } from '../../../fast-paths/takeover.js';
import type { StreamSink } from '../../../live/connections/stream-sink.js';
import { originForm } from '../../listener/server.js';

const TARGET = /^\/pm\/v2\/stream(?:\?|$)/;

/** Whether a request is one for an event stream or a WebSocket. A batch is an ordinary response. */
export const mayTakeOver: MayTakeOver = (request, isUpgradeAsked) =>
  request.method === 'GET' &&
  TARGET.test(originForm(request.url ?? '') ?? '') &&
  (isWebSocket(request, isUpgradeAsked) || !isBatch(request));

/** The form of a stream that a request asks for (D47). */
export function formOf(request: IncomingMessage): StreamSink['form'] {
  if (isWebSocket(request, takeoverOf(request)?.isUpgradeAsked === true)) return 'websocket';
  return isBatch(request) ? 'batch' : 'sse';
}

/** Any other `Upgrade` is ignored, and so it is in HTTP/1.0. */
const isWebSocket = ({ headers, httpVersion }: IncomingMessage, isUpgradeAsked: boolean): boolean =>
  isUpgradeAsked && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket';

/** Only if the client asks for JSON and not for events. */
function isBatch({ headers }: IncomingMessage): boolean {
  const types = (headers.accept ?? '')
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes('application/json') && !types.includes('text/event-stream');
}
