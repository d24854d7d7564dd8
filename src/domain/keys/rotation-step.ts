import type { Moment } from '../moment.js';
import type { KeyState } from './api-key.js';

/** The steps of a rotation (contract section 5.4), in their order. */
export const ROTATION_STEPS = ['create', 'deploy', 'retire', 'done'] as const;

export type RotationStep = (typeof ROTATION_STEPS)[number];

/**
 * The step that is to be done. The older key is retired only after the successor was used: before, nothing shows that the
 * successor is deployed, and its clients would be without a key when the grace ends.
 */
export function rotationStep(
  older: KeyState,
  successor: { readonly lastUsedAt: Moment | null } | null,
): RotationStep {
  if (older.status === 'revoked') return 'done';
  if (successor === null) return 'create';
  return successor.lastUsedAt === null ? 'deploy' : 'retire';
}
