import type { IncomingMessage } from 'node:http';
import type { RequestPriority } from '../../../domain/limits/iteration-budget.js';
import { requestKey } from '../keys/request-key.js';
import type { SentKeys } from '../keys/sent-keys.js';

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
    const key = requestKey(sentKeys, request);
    if (key === null || key === 'malformed') return 'stranger';
    // The key of a wave of streams is unproven until the first of them has its turn.
    if (STREAMS.some((path) => url.startsWith(path))) return 'stream';
    if (!key.wasAdmitted) return 'unproven';
    return key.wasLimited ? 'limited' : 'customer';
  };
