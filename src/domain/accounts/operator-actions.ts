import { whyNotRetire } from '../keys/account-keys.js';
import { type ApiKey, changes } from '../keys/api-key.js';
import type { Moment } from '../moment.js';
import type { Account } from './account.js';
import { isDeleted, whyNotDelete } from './account-deletion.js';
import { hasPaymentNotice } from './repeated-notice.js';

/** Actions of an operator on an account. Those on the subscription apply to all its keys (D21). */
export const ACCOUNT_ACTIONS = [
  'hold',
  'release',
  'lift-abuse',
  'stop-watching',
  'watch',
  'repeat-notice',
  'sign-out',
  'delete',
] as const;
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

/** Actions of an operator on one key. */
export const KEY_ACTIONS = ['hold', 'release', 'retire', 'revoke'] as const;
export type KeyAction = (typeof KEY_ACTIONS)[number];

/** The actions that would change something now. Example: `release` only during a hold, and `hold` only without one. */
export function accountActions(account: Account, now: Moment): readonly AccountAction[] {
  if (isDeleted(account)) return [];
  const { suspension, monitoring } = account.subscription;
  const hasEffect: Readonly<Record<AccountAction, boolean>> = {
    hold: changes(suspension, 'held', now),
    release: changes(suspension, 'released', now),
    'lift-abuse': changes(suspension, 'abuse_cleared', now),
    'stop-watching': monitoring.isOn,
    watch: !monitoring.isOn,
    'repeat-notice': hasPaymentNotice(account),
    // The account does not show whether anybody is signed in.
    'sign-out': true,
    // The deletion itself also reads the payment events that were not applied.
    delete: whyNotDelete(account, []) === null,
  };
  return ACCOUNT_ACTIONS.filter((action) => hasEffect[action]);
}

/** The actions that would change the key's own state. Causes on its subscription are released on the subscription. */
export function keyActions(account: Account, { id, state }: ApiKey, now: Moment): readonly KeyAction[] {
  const hasEffect: Readonly<Record<KeyAction, boolean>> = {
    // On a revoked key, a hold would only end the grace window; a revocation does that too.
    hold: state.status !== 'revoked' && changes(state, 'held', now),
    release: changes(state, 'released', now),
    retire: whyNotRetire(account, id) === null,
    revoke: changes(state, 'revoked', now),
  };
  return KEY_ACTIONS.filter((action) => hasEffect[action]);
}
