import {
  type Account,
  type AuditContext,
  andThenChange,
  type Change,
  type Pending,
} from '../accounts/account.js';
import { applyDue } from '../accounts/account-due.js';
import { causesOf } from '../keys/api-key.js';
import { MICROSECOND, type Moment, plus } from '../moment.js';
import { applyToSubscription, cancelKeys, cancelSubscription } from './account-subscription.js';
import { type PastDue, rulingSubscription, stateOf } from './billing.js';
import {
  CONFIRMATION_TIMEOUT,
  type DeadlineRule,
  dunningOf,
  exhaustsAt,
  overdueOf,
  paymentFailureSince,
} from './dunning.js';
import type { DunningSchedule, PaymentDeadline } from './failed-invoice.js';
import {
  hasEnded,
  mergeEvent,
  type PaymentEvent,
  type PaymentFacts,
  type SubscriptionFacts,
  wasServed,
} from './payment-event.js';
import { answersAfterTies, askAgainLater, tieQuestionAt } from './processor-questions.js';

/** How payments are interpreted: by the settings, and by whether a processor is configured (D27, D28). */
export type BillingRules = {
  readonly schedule: DunningSchedule;
  readonly pastDue: PastDue;
  readonly deadlineRule: DeadlineRule;
};

/** Applies payment events to the account. The result is the same in any order and with repeated events (D29). */
export const withPaymentEvents = (
  account: Account,
  events: readonly PaymentEvent[],
  rules: BillingRules,
  context: AuditContext,
): Change =>
  events.reduce<Change>(
    (change, event) =>
      andThenChange(change, (current) =>
        applyPayments(current, mergeEvent(current.payments, event), rules, context),
      ),
    { next: account, entries: [] },
  );

/** Derives the state of the subscription, its suspension causes and its pending events from the payment facts. */
function applyPayments(
  account: Account,
  payments: PaymentFacts,
  rules: BillingRules,
  context: AuditContext,
): Change {
  const withFacts: Change = { next: { ...account, payments }, entries: [] };
  const canceled = andThenChange(withFacts, (current) =>
    applyCancellations(current, account.payments, context),
  );
  const ruled = andThenChange(canceled, (current) => applyRulingSubscription(current, rules, context));
  const noted = andThenChange(ruled, (current) => ({
    next: current,
    entries: newAttempts(account.payments, payments).map((reason) => ({
      ...context,
      reason,
      event: 'attempt_failed',
      key: null,
    })),
  }));
  return andThenChange(noted, (current) => applyDunning(current, rules, context));
}

/**
 * The failed attempts of which the facts before knew nothing. Not those of the dunning: an invoice can leave it and come back while
 * events arrive in another order, and then its attempts would be recorded twice.
 */
const newAttempts = (before: PaymentFacts, now: PaymentFacts): readonly string[] =>
  Object.entries(now.invoices).flatMap(([id, { isFirstInvoice, failures }]) => {
    const known = before.invoices[id]?.failures ?? {};
    const added = Object.keys(failures).filter(
      (attempts) => !isFirstInvoice && !Object.hasOwn(known, attempts),
    );
    return added.map((attempts) =>
      attempts === '1' ? `${id}: first attempt` : `${id}: retry ${Number(attempts) - 1}`,
    );
  });

/** A cancellation revokes the keys that were issued before the next subscription began (contract section 3.1, D27). */
function applyCancellations(account: Account, before: PaymentFacts, context: AuditContext): Change {
  const known = cancellationsOf(before);
  return cancellationsOf(account.payments)
    .filter((endedAt) => !known.includes(endedAt))
    .reduce<Change>(
      (change, endedAt) => {
        const next = nextStart(account.payments, endedAt);
        return andThenChange(change, (current) =>
          next === null ? cancelSubscription(current, context) : cancelKeys(current, next, context),
        );
      },
      { next: account, entries: [] },
    );
}

/**
 * The times at which a subscription ended while no other was running. One that was never served takes no keys when it
 * ends; until then it covers the end of another, whose customer may be about to pay for it.
 */
function cancellationsOf({ subscriptions }: PaymentFacts): readonly Moment[] {
  const spans = Object.values(subscriptions)
    .filter(isServedOrRunning)
    .map(({ startedAt, status }) => ({ startedAt, end: hasEnded(status.value) ? status.at : null }));
  const isCovered = (at: Moment) =>
    spans.some(({ startedAt, end }) => startedAt <= at && (end === null || end > at));
  return spans.flatMap(({ end }) => (end === null || isCovered(end) ? [] : [end]));
}

const isServedOrRunning = (facts: SubscriptionFacts): boolean =>
  wasServed(facts) || !hasEnded(facts.status.value);

const nextStart = ({ subscriptions }: PaymentFacts, at: Moment): Moment | null =>
  Object.values(subscriptions)
    .filter(isServedOrRunning)
    .map(({ startedAt }) => startedAt)
    .filter((startedAt) => startedAt > at)
    .sort()[0] ?? null;

/**
 * Sets plan and state from the ruling subscription (D27). Without one, the account has the plan with which it was opened,
 * also if a version before, for which every subscription ruled, had refused it.
 */
function applyRulingSubscription(account: Account, rules: BillingRules, context: AuditContext): Change {
  const ruling = rulingSubscription(account.payments);
  const { subscription } = account;
  const state = ruling === null ? 'active' : stateOf(ruling, rules.pastDue, context.at);
  const plan = ruling?.plan?.value ?? account.openedPlan;
  if (state === subscription.state && plan === subscription.plan) return { next: account, entries: [] };
  const reason = `${subscription.plan} ${subscription.state} → ${plan} ${state}`;
  return {
    next: { ...account, subscription: { ...subscription, state, plan } },
    entries: [{ ...context, reason, event: 'subscription_changed', key: null }],
  };
}

/** The ruling subscription, unless it has ended: then the processor collects no payments for it. */
function collectedSubscription(payments: PaymentFacts): string | null {
  const ruling = rulingSubscription(payments);
  return ruling === null || hasEnded(ruling.status.value) ? null : ruling.id;
}

/** Updates dunning from the open invoices of the ruling subscription, and suspends when it is exhausted (D28). */
function applyDunning(account: Account, rules: BillingRules, context: AuditContext): Change {
  const { schedule, deadlineRule } = rules;
  const collectedId = collectedSubscription(account.payments);
  const dunning = collectedId === null ? [] : dunningOf(account.payments, collectedId, schedule);
  const since =
    collectedId === null
      ? null
      : paymentFailureSince(account.payments, collectedId, schedule, context.at, deadlineRule);
  const withPaymentFailure = applyPaymentFailure({ ...account, dunning }, since, context);
  return andThenChange(withPaymentFailure, (current) => ({
    next: {
      ...current,
      pending: pendingOf(current, rules, context.at),
      askTiesAt: rules.deadlineRule === 'unreachable' ? tieQuestionAt(current, context.at) : null,
    },
    entries: [],
  }));
}

function applyPaymentFailure(account: Account, since: Moment | null, context: AuditContext): Change {
  const isSuspended = causesOf(account.subscription.suspension).includes('payment_failure');
  if (since === null) {
    return isSuspended
      ? applyToSubscription(account, 'invoice_paid', context)
      : { next: account, entries: [] };
  }
  if (isSuspended) return { next: account, entries: [] };
  return applyToSubscription(account, 'payment_failed', {
    ...context,
    // Not after now: the clock of the processor may be ahead.
    at: since < context.at ? since : context.at,
    reason: 'an invoice was not paid in time',
  });
}

function pendingOf(account: Account, rules: BillingRules, now: Moment): readonly Pending[] {
  const { deadlineRule } = rules;
  const pending: Pending[] = [];
  const canAsk = deadlineRule === 'unreachable';
  const isSuspended = causesOf(account.subscription.suspension).includes('payment_failure');
  const owed = paymentDeadlines(account, rules);
  if (owed.length > 0 && !isSuspended) {
    const deadlines = owed.map(({ deadline }) => deadline).sort();
    const ends = owed.map((one) => exhaustsAt(one, deadlineRule)).sort();
    pending.push({
      event: 'payment_failed',
      at: ends[0] ?? now,
      askAt: canAsk ? (deadlines[0] ?? now) : null,
    });
  }
  const ruling = rulingSubscription(account.payments);
  const trialEndsAt = ruling?.terms.value.trialEndsAt ?? null;
  if (account.subscription.state === 'trialing' && trialEndsAt !== null) {
    pending.push({
      event: 'trial_ended',
      at: plus(trialEndsAt, CONFIRMATION_TIMEOUT),
      askAt: canAsk ? trialEndsAt : null,
    });
  }
  return pending;
}

function paymentDeadlines(
  { payments, dunning }: Account,
  { schedule }: BillingRules,
): readonly PaymentDeadline[] {
  const id = collectedSubscription(payments);
  const overdue = id === null ? null : overdueOf(payments, id, schedule);
  return overdue === null ? dunning : [...dunning, overdue];
}

/**
 * The account after the service asked the processor, with or without an answer. The service asks again later about
 * everything that is still open (D28). The payment facts are applied also without an answer, because the settings may
 * have changed.
 */
export function applyAnswers(
  account: Account,
  answers: readonly PaymentEvent[],
  rules: BillingRules,
  context: AuditContext,
): Change {
  // First apply the events that were due before the question: an answer cannot change them.
  const asked = [account.askTiesAt, ...account.pending.map(({ askAt }) => askAt)];
  const [firstAsked = context.at] = asked.filter((at) => at !== null).sort();
  const until = firstAsked < context.at ? plus(firstAsked, -MICROSECOND) : context.at;
  const before = applyDue(account, until);
  const withAnswers = andThenChange(before, (current) =>
    withPaymentEvents(current, answersAfterTies(current.payments, answers), rules, context),
  );
  const read = andThenChange(withAnswers, (current) =>
    applyPayments(current, current.payments, rules, context),
  );
  const after = andThenChange(read, (current) => applyDue(current, context.at));
  return { ...after, next: askAgainLater(after.next, context.at) };
}

/** Records that a payment event was replayed. The effects of the event have separate audit entries. */
export function noteReplay(account: Account, paymentEvent: string, context: AuditContext): Change {
  const reason = context.reason === null ? paymentEvent : `${paymentEvent}: ${context.reason}`;
  return { next: account, entries: [{ ...context, reason, event: 'payment_event_replayed', key: null }] };
}
