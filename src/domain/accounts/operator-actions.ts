import { type ApiKey, changes } from '../keys/api-key.js';
import type { Moment } from '../moment.js';
import type { Account } from './account.js';

/** What an operator can do to a whole account; those on the subscription in force for all its keys (D21). */
export const ACCOUNT_ACTIONS = [
  'hold',
  'release',
  'lift-abuse',
  'stop-watching',
  'watch',
  'sign-out',
] as const;
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

/** What an operator can do to one key. */
export const KEY_ACTIONS = ['hold', 'release', 'revoke'] as const;
export type KeyAction = (typeof KEY_ACTIONS)[number];

/** Those that would change something now: a release needs a hold, a hold none of its kind. */
export function accountActions({ subscription }: Account, now: Moment): readonly AccountAction[] {
  const { suspension, monitoring } = subscription;
  const makesSense: Readonly<Record<AccountAction, boolean>> = {
    hold: changes(suspension, 'held', now),
    release: changes(suspension, 'released', now),
    'lift-abuse': changes(suspension, 'abuse_cleared', now),
    'stop-watching': monitoring.isOn,
    watch: !monitoring.isOn,
    // Whether somebody is signed in, or could be, is not in the account.
    'sign-out': true,
  };
  return ACCOUNT_ACTIONS.filter((action) => makesSense[action]);
}

/** By the key's own state: what stands on its subscription is held and released there. */
export function keyActions({ state }: ApiKey, now: Moment): readonly KeyAction[] {
  const makesSense: Readonly<Record<KeyAction, boolean>> = {
    // Of a revoked key a hold would do nothing but end its grace, which a revocation does as well.
    hold: state.status !== 'revoked' && changes(state, 'held', now),
    release: changes(state, 'released', now),
    revoke: changes(state, 'revoked', now),
  };
  return KEY_ACTIONS.filter((action) => makesSense[action]);
}
