import type { ServerResponse } from 'node:http';
import type { KeyId } from '../../../domain/keys/api-key.js';

/** Counts an answered request under the key that it was made with. */
export type CountRequest = (key: KeyId, status: number) => void;

/**
 * Counts an answer of a route that asks for a key. A key that is none of ours is counted by its address (D33); a caller
 * that has gone away gets no answer.
 */
export function countAnswered(
  count: CountRequest,
  { destroyed }: ServerResponse,
  key: KeyId | null,
  status: number,
): void {
  if (key !== null && !destroyed) count(key, status);
}
