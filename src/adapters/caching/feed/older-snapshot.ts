import { NotNow } from '../../../application/unavailable.js';
import { holds, type Position } from '../../../domain/feed/position.js';

/**
 * Whether a snapshot at `position` has every change that was applied to the copies when it was requested; `applied` is null
 * before the first one. If not, another server has answered (D45). What was read from it must not be copied, because the
 * log does not have its missing changes again.
 */
export const hasApplied = (position: Position, applied: Position | null): boolean =>
  applied === null || holds(position, applied);

/** Throws `NotNow` for a snapshot that does not have the applied changes. */
export function refuseOlder(position: Position, applied: Position | null): void {
  if (hasApplied(position, applied)) return;
  throw new NotNow('the store', undefined, 'answers with a state older than the change logs');
}
