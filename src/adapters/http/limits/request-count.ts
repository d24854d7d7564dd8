import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../application/ports/clock.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';

/**
 * Counts a request that got its response, for its key, at the time before the gateway took its permit. So a request that waits
 * over midnight is not in the usage of a day from whose quota it took nothing.
 */
export type CountRequest = {
  readonly clock: Clock;
  readonly note: (key: KeyId, status: number, startedAt: Moment) => void;
};

/**
 * Counts a response of a route that needs a key. Requests with an unknown key are counted by client address only (D33).
 * If the client has disconnected, there is no response to count.
 */
export function countAnswered(
  count: CountRequest,
  { destroyed }: ServerResponse,
  key: KeyId | null,
  status: number,
  startedAt: Moment,
): void {
  if (key !== null && !destroyed) count.note(key, status, startedAt);
}
