import { type ApiKey, changes } from '../keys/api-key.js';
import type { Moment } from '../moment.js';
import type { Account } from './account.js';

/** What an operator can do to a whole account; those on the subscription in force for all its keys (D21). */
export const ACCOUNT_ACTS = ['hold', 'release', 'lift-abuse', 'stop-watching', 'watch', 'sign-out'] as const;
export type AccountAct = (typeof ACCOUNT_ACTS)[number];

/** What an operator can do to one key. */
export const KEY_ACTS = ['hold', 'release', 'revoke'] as const;
export type KeyAct = (typeof KEY_ACTS)[number];

/** Those that would change something now: a release needs a hold, a hold none of its kind. */
export function accountActs({ subscription }: Account, now: Moment): readonly AccountAct[] {
  const { suspension, monitoring } = subscription;
  const makesSense: Readonly<Record<AccountAct, boolean>> = {
    hold: changes(suspension, 'held', now),
    release: changes(suspension, 'released', now),
    'lift-abuse': changes(suspension, 'abuse_cleared', now),
    'stop-watching': monitoring.isOn,
    watch: !monitoring.isOn,
    // Whether somebody is signed in, or could be, is not in the account.
    'sign-out': true,
  };
  return ACCOUNT_ACTS.filter((action) => makesSense[action]);
}

/** By the key's own state: what stands on its subscription is held and released there. */
export function keyActs({ state }: ApiKey, now: Moment): readonly KeyAct[] {
  const makesSense: Readonly<Record<KeyAct, boolean>> = {
    // Of a revoked key a hold would do nothing but end its grace, which a revocation does as well.
    hold: state.status !== 'revoked' && changes(state, 'held', now),
    release: changes(state, 'released', now),
    revoke: changes(state, 'revoked', now),
  };
  return KEY_ACTS.filter((action) => makesSense[action]);
}
