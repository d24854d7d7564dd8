import type { Account, Act, Change } from '../accounts/account.js';
import { type ApiKey, endGrace, type KeyEvent, standingAfter, transition } from '../keys/api-key.js';
import type { CauseEvent } from '../keys/suspension.js';
import type { Moment } from '../moment.js';
import { isRefusal } from '../refusal.js';

/**
 * What happens to a subscription strikes all its keys: those that are not revoked through
 * `derivedState`, and a revoked one by the end of the grace it may still have (D21, D22).
 */
export function strikeSubscription(account: Account, event: CauseEvent, act: Act): Change {
  const standing = standingAfter(account.subscription.standing, event, act.at);
  const suspends = standingAfter({ status: 'active' }, event, act.at).status === 'suspended';
  const keys = account.keys.map((key) =>
    key.state.status === 'revoked' && suspends ? { ...key, state: endGrace(key.state, act.at) } : key,
  );
  // What was seen before a trip was lifted must not trip again.
  const watch = event === 'abuse_cleared' ? { ...account.subscription.watch, since: act.at } : undefined;
  return {
    next: { ...account, subscription: { ...account.subscription, standing, ...(watch && { watch }) }, keys },
    entries: [{ ...act, event, key: null }],
  };
}

/** The subscription ends, and all its keys with it (contract section 3.1). */
export const cancelSubscription = (account: Account, act: Act): Change =>
  cancelKeys({ ...account, subscription: { ...account.subscription, state: 'canceled' } }, null, act);

/** The keys of a subscription that ended; those that were issued since `until`, under the next one, stay (D27). */
export function cancelKeys(account: Account, until: Moment | null, act: Act): Change {
  const keys = account.keys.map((key) =>
    until === null || key.issuedAt < until ? struck(key, 'cancelled', act.at) : key,
  );
  return { next: { ...account, keys }, entries: [{ ...act, event: 'cancelled', key: null }] };
}

function struck(key: ApiKey, event: KeyEvent, at: Moment): ApiKey {
  const state = transition(key.state, event, at);
  return isRefusal(state) ? key : { ...key, state };
}
