import type { KeyUse } from '../../../application/ports/keys/key-uses.js';
import { type Account, type AuditEntry, causeOf } from '../../../domain/accounts/account.js';
import { rulingSubscription } from '../../../domain/billing/billing.js';
import { type ApiKey, causesOf, derivedState, graceUntil, type KeyId } from '../../../domain/keys/api-key.js';
import { stateAt } from '../../../domain/keys/expiry.js';
import type { KeyControls } from '../../../domain/keys/key-controls.js';
import type { KeyValue } from '../../../domain/keys/key-value.js';
import { openPredecessor, openSuccessor, retiresAt } from '../../../domain/keys/overlap.js';
import type { Moment } from '../../../domain/moment.js';

/** The uses of each key; keys that were never used are absent. */
export type Uses = ReadonlyMap<KeyId, KeyUse>;

/** An account as operators see it (D30), without values and hashes of keys. */
export function accountJson(account: Account, audit: readonly AuditEntry[], uses: Uses, now: Moment) {
  const { id, email, processorCustomerId, openedAt, subscription, keys } = account;
  const ruling = rulingSubscription(account.payments);
  return {
    account_id: id,
    subscription_id: subscription.id,
    email,
    processor_customer_id: processorCustomerId,
    opened_at: openedAt,
    subscription: {
      subscription_id: subscription.id,
      plan: subscription.plan,
      state: subscription.state,
      causes: causesOf(subscription.suspension),
      dunning: dunningJson(account),
      abuse_detection: subscription.monitoring.isOn,
      processor_subscription_id: ruling?.id ?? null,
      trial_ends_at: ruling?.terms.value.trialEndsAt ?? null,
      period_ends_at: ruling?.terms.value.periodEndsAt ?? null,
    },
    keys: keys.map((key) => keyJson(account, key, uses, now)),
    audit: audit.map(auditJson),
  };
}

/**
 * The open invoices, and the time at which the subscription is suspended (D28). Without a known invoice it is that of a
 * subscription which is past due. Null if nothing is owed.
 */
function dunningJson({ dunning, pending }: Account) {
  const suspendsAt = pending.find(({ event }) => event === 'payment_failed')?.at ?? null;
  if (dunning.length === 0 && suspendsAt === null) return null;
  return {
    open_invoices: dunning.map((invoice) => ({
      invoice_id: invoice.id,
      first_failed_at: invoice.firstFailedAt,
      failed_retries: invoice.failedRetries,
      next_retry_at: invoice.nextRetryAt,
      deadline: invoice.deadline,
    })),
    suspends_at: suspendsAt,
  };
}

/** A key as its holder and operators see it; status and causes include those of the subscription (D20). */
export function keyJson(account: Account, key: ApiKey, uses: Uses, now: Moment) {
  const state = derivedState(stateAt(key, now), account.subscription.suspension);
  const revoked = state.status === 'revoked' ? state : null;
  const isSuccessor = openPredecessor(account.keys, key) !== undefined;
  const use = uses.get(key.id);
  return {
    key_id: key.id,
    account_id: account.id,
    prefix: key.prefix,
    label: key.label,
    status: state.status,
    causes: causesOf(state),
    scopes: key.scopes,
    issued_at: key.issuedAt,
    revoked_at: revoked?.revokedAt ?? null,
    revocation_cause: revoked?.cause ?? null,
    grace_until: graceUntil(state, now),
    predecessor_id: key.predecessor,
    successor_id: openSuccessor(account.keys, key)?.id ?? null,
    overlap_ends_at: isSuccessor ? retiresAt(key, use?.firstAt ?? null) : null,
    last_used_at: use?.lastAt ?? null,
    ...controlsJson(key.controls),
  };
}

/** What the owner of a key has set (D72). */
export const controlsJson = ({ expiresAt, allowlist, limits }: KeyControls) => ({
  expires_at: expiresAt,
  allowed_addresses: allowlist,
  requests_per_minute: limits.perMinute,
  requests_per_day: limits.perDay,
});

/** The response to the creation of a key; no other response has its value. */
export const issuedKeyJson = (account: Account, key: ApiKey, value: KeyValue, now: Moment) => ({
  ...keyJson(account, key, new Map(), now),
  key: value,
});

export const auditJson = (entry: AuditEntry) => ({
  at: entry.at,
  actor: entry.actor,
  event: entry.event,
  cause: causeOf(entry),
  reason: entry.reason,
  key_id: entry.key,
});

/** Whether an audit entry concerns a key: entries of the key itself and of its subscription. */
export const concerns =
  (id: KeyId) =>
  ({ key }: AuditEntry): boolean =>
    key === id || key === null;
