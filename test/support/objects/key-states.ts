import { type KeyEvent, type KeyState, type Revoked, transition } from '../../../src/domain/keys/api-key.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, NOON } from './builders.js';

export const ADMITTED = { admitted: true };
export const REVOKED = { refused: 'key_revoked' };

export const stateAfter = (state: KeyState, event: KeyEvent, at = NOON): KeyState =>
  accepted<KeyState>(transition(state, event, at));

export const inGrace: Revoked = {
  status: 'revoked',
  cause: 'rotation',
  revokedAt: NOON,
  worksUntil: plus(NOON, 300 * SECOND),
  held: false,
};
export const revokedAndHeld: Revoked = {
  status: 'revoked',
  cause: 'manual',
  revokedAt: NOON,
  worksUntil: NOON,
  held: true,
};
