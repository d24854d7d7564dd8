import type { LoggedRequest } from '../../../src/domain/limits/request-log.js';
import { keyId, NOON } from './builders.js';

let made = 0;

/** A successful request, each with its own request id. */
export function loggedRequest(more: Partial<LoggedRequest> = {}): LoggedRequest {
  made += 1;
  return {
    key: keyId('key_1'),
    at: NOON,
    method: 'GET',
    path: '/pm/v2/news',
    query: 'limit=10',
    status: 200,
    code: null,
    durationMs: 1.25,
    bytes: 1_234,
    requestId: `request-${made}`,
    network: '192.0.2.0/24',
    ...more,
  };
}

/** A refused one. */
export const failedRequest = (more: Partial<LoggedRequest> = {}): LoggedRequest =>
  loggedRequest({ status: 429, code: 'rate_limited', ...more });
