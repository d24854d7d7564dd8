import type { IncomingMessage } from 'node:http';
import type { RequestPriority } from '../../../domain/limits/iteration-budget.js';
import type { SentKeys } from '../keys/sent-keys.js';
import { readHeaders } from '../read-headers.js';

const STREAM = '/pm/v2/stream';
/** Paths of people and of the payment processor. */
const SESSIONS = ['/dashboard', '/operator', '/webhooks/'] as const;

/** The priority of a request during overload (D76), by its path and its key. */
export const requestPriority =
  (sentKeys: SentKeys) =>
  (request: IncomingMessage): RequestPriority => {
    const { url = '', rawHeaders, socket } = request;
    if (SESSIONS.some((path) => url.startsWith(path))) return 'session';
    const query = url.indexOf('?');
    const key = sentKeys.of(socket, readHeaders(rawHeaders), query === -1 ? '' : url.slice(query + 1));
    if (key === null || key === 'malformed' || !key.wasAdmitted) return 'stranger';
    if (key.wasLimited) return 'limited';
    return url.startsWith(STREAM) ? 'stream' : 'customer';
  };
