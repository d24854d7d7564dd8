import type { ServerResponse } from 'node:http';
import type { KeyId } from '../../../domain/keys/api-key.js';

/** Counts a request that got its response, for its key. */
export type CountRequest = (key: KeyId, status: number) => void;

/**
 * Counts a response of a route that needs a key. Requests with an unknown key are counted by client address only (D33).
 * If the client has disconnected, there is no response to count.
 */
export function countAnswered(
  count: CountRequest,
  { destroyed }: ServerResponse,
  key: KeyId | null,
  status: number,
): void {
  if (key !== null && !destroyed) count(key, status);
}
