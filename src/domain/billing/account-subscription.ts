import type { Account, AuditContext, Change } from '../accounts/account.js';
import { type ApiKey, endGrace, type KeyEvent, suspensionAfter, transition } from '../keys/api-key.js';
import type { CauseEvent } from '../keys/suspension.js';
import type { Moment } from '../moment.js';
import { isRefusal } from '../refusal.js';

/**
 * Applies an event to a subscription, which affects all its keys. For keys that are not revoked, `derivedState` adds
 * the causes of the subscription. An event that suspends ends the grace window of revoked keys (D21, D22).
 */
export function applyToSubscription(account: Account, event: CauseEvent, context: AuditContext): Change {
  const suspension = suspensionAfter(account.subscription.suspension, event, context.at);
  const suspends = suspensionAfter({ status: 'active' }, event, context.at).status === 'suspended';
  const keys = account.keys.map((key) =>
    key.state.status === 'revoked' && suspends ? { ...key, state: endGrace(key.state, context.at) } : key,
  );
  // Abuse signals from the time before must not suspend the subscription again.
  const monitoring =
    event === 'abuse_cleared' ? { ...account.subscription.monitoring, since: context.at } : undefined;
  return {
    next: {
      ...account,
      subscription: { ...account.subscription, suspension, ...(monitoring && { monitoring }) },
      keys,
    },
    entries: [{ ...context, event, key: null }],
  };
}

/** The subscription ends, and all its keys with it (contract section 3.1). */
export const cancelSubscription = (account: Account, context: AuditContext): Change =>
  cancelKeys({ ...account, subscription: { ...account.subscription, state: 'canceled' } }, null, context);

/**
 * Revokes the keys of a subscription that ended. Keys issued at or after `until` belong to the next subscription and
 * are not revoked (D27).
 */
export function cancelKeys(account: Account, until: Moment | null, context: AuditContext): Change {
  const keys = account.keys.map((key) =>
    until === null || key.issuedAt < until ? applyToKey(key, 'cancelled', context.at) : key,
  );
  return { next: { ...account, keys }, entries: [{ ...context, event: 'cancelled', key: null }] };
}

function applyToKey(key: ApiKey, event: KeyEvent, at: Moment): ApiKey {
  const state = transition(key.state, event, at);
  return isRefusal(state) ? key : { ...key, state };
}
