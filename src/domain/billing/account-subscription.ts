import type { Account, AuditContext, Change } from '../accounts/account.js';
import { type ApiKey, endGrace, type KeyEvent, suspensionAfter, transition } from '../keys/api-key.js';
import type { CauseEvent } from '../keys/suspension.js';
import type { Moment } from '../moment.js';
import { isRefusal } from '../refusal.js';

/**
 * What happens to a subscription strikes all its keys: those that are not revoked through
 * `derivedState`, and a revoked one by the end of the grace it may still have (D21, D22).
 */
export function applyToSubscription(account: Account, event: CauseEvent, context: AuditContext): Change {
  const suspension = suspensionAfter(account.subscription.suspension, event, context.at);
  const suspends = suspensionAfter({ status: 'active' }, event, context.at).status === 'suspended';
  const keys = account.keys.map((key) =>
    key.state.status === 'revoked' && suspends ? { ...key, state: endGrace(key.state, context.at) } : key,
  );
  // What was seen before a trip was lifted must not trip again.
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

/** The keys of a subscription that ended; those that were issued since `until`, under the next one, stay (D27). */
export function cancelKeys(account: Account, until: Moment | null, context: AuditContext): Change {
  const keys = account.keys.map((key) =>
    until === null || key.issuedAt < until ? appliedToKey(key, 'cancelled', context.at) : key,
  );
  return { next: { ...account, keys }, entries: [{ ...context, event: 'cancelled', key: null }] };
}

function appliedToKey(key: ApiKey, event: KeyEvent, at: Moment): ApiKey {
  const state = transition(key.state, event, at);
  return isRefusal(state) ? key : { ...key, state };
}
