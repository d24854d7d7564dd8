import type { IncomingMessage } from 'node:http';
import type { RequestPriority } from '../../../domain/limits/iteration-budget.js';
import { takeoverOf } from '../../fast-paths/takeover.js';
import type { SentCredential, SentKeys } from '../keys/sent-keys.js';
import { readHeaders } from '../read-headers.js';

/** Streams and batches. */
const STREAMS = ['/pm/v2/stream', '/pm/v2/changes'] as const;
/** Paths of people and of the payment processor. */
const SESSIONS = ['/dashboard', '/operator', '/webhooks/'] as const;

/** The priority of a request during overload (D76), by its path and its key. */
export const requestPriority =
  (sentKeys: SentKeys) =>
  (request: IncomingMessage): RequestPriority => {
    const { url = '' } = request;
    if (SESSIONS.some((path) => url.startsWith(path))) return 'session';
    const key = keyOf(sentKeys, request);
    if (key === null || key === 'malformed') return 'stranger';
    // The key of a wave of streams is unproven until the first of them has its turn.
    if (STREAMS.some((path) => url.startsWith(path))) return 'stream';
    if (!key.wasAdmitted) return 'unproven';
    return key.wasLimited ? 'limited' : 'customer';
  };

function keyOf(sentKeys: SentKeys, request: IncomingMessage): SentCredential {
  const { url = '', rawHeaders, socket } = request;
  const query = url.indexOf('?');
  const isUpgrade = takeoverOf(request)?.isUpgradeAsked === true;
  return sentKeys.of(socket, readHeaders(rawHeaders), query === -1 ? '' : url.slice(query + 1), isUpgrade);
}
