import {
  type Account,
  type AuditContext,
  afterwards,
  type Change,
  type Pending,
} from '../accounts/account.js';
import { settled } from '../accounts/account-due.js';
import { causesOf } from '../keys/api-key.js';
import { MICROSECOND, MINUTE, type Moment, plus } from '../moment.js';
import { applyToSubscription, cancelKeys, cancelSubscription } from './account-subscription.js';
import { type PastDue, rulingSubscription, stateOf } from './billing.js';
import {
  DOUBT,
  type Dunning,
  type DunningSchedule,
  dunningOf,
  exhaustsAt,
  paymentFailureSince,
  type Unasked,
} from './dunning.js';
import { hasEnded, type PaymentEvent, type PaymentFacts, withEvent } from './payment-event.js';

/** How payments are read: by the settings, and by whether there is a processor to be asked (D27, D28). */
export type BillingRules = {
  readonly schedule: DunningSchedule;
  readonly pastDue: PastDue;
  readonly unasked: Unasked;
};

/** So often a processor that could not be asked is asked again (D28). */
const ASK_AGAIN_EVERY = 5 * MINUTE;

/** The account once these events are known of it: in any order, and any number of times (D29). */
export const withPaymentEvents = (
  account: Account,
  events: readonly PaymentEvent[],
  rules: BillingRules,
  context: AuditContext,
): Change =>
  events.reduce<Change>(
    (change, event) =>
      afterwards(change, (current) =>
        underPayments(current, withEvent(current.payments, event), rules, context),
      ),
    { next: account, entries: [] },
  );

/** What is known of payments made into the state of the subscription, its causes and what will fall due. */
function underPayments(
  account: Account,
  payments: PaymentFacts,
  rules: BillingRules,
  context: AuditContext,
): Change {
  const known: Change = { next: { ...account, payments }, entries: [] };
  const canceled = afterwards(known, (current) => withEnds(current, account.payments, context));
  const ruled = afterwards(canceled, (current) => underRuling(current, rules, context));
  return afterwards(ruled, (current) => underDunning(current, rules, context));
}

/** A cancellation revokes the keys that were issued before the next subscription began (contract section 3.1, D27). */
function withEnds(account: Account, before: PaymentFacts, context: AuditContext): Change {
  const known = lapsesOf(before);
  return lapsesOf(account.payments)
    .filter((lapse) => !known.includes(lapse))
    .reduce<Change>(
      (change, lapse) => {
        const next = nextStart(account.payments, lapse);
        return afterwards(change, (current) =>
          next === null ? cancelSubscription(current, context) : cancelKeys(current, next, context),
        );
      },
      { next: account, entries: [] },
    );
}

/** When a subscription ended and no other went on. */
function lapsesOf({ subscriptions }: PaymentFacts): readonly Moment[] {
  const spans = Object.values(subscriptions).map(({ startedAt, status }) => ({
    startedAt,
    end: hasEnded(status.value) ? status.at : null,
  }));
  const isCovered = (at: Moment) =>
    spans.some(({ startedAt, end }) => startedAt <= at && (end === null || end > at));
  return spans.flatMap(({ end }) => (end === null || isCovered(end) ? [] : [end]));
}

const nextStart = ({ subscriptions }: PaymentFacts, at: Moment): Moment | null =>
  Object.values(subscriptions)
    .map(({ startedAt }) => startedAt)
    .filter((startedAt) => startedAt > at)
    .sort()[0] ?? null;

/** Plan and state are those of the ruling subscription, once there is one (D27). */
function underRuling(account: Account, rules: BillingRules, context: AuditContext): Change {
  const ruling = rulingSubscription(account.payments);
  const { subscription } = account;
  const state = ruling === null ? subscription.state : stateOf(ruling, rules.pastDue, context.at);
  const plan = ruling?.plan?.value ?? account.openedPlan;
  if (state === subscription.state && plan === subscription.plan) return { next: account, entries: [] };
  const reason = `${subscription.plan} ${subscription.state} → ${plan} ${state}`;
  return {
    next: { ...account, subscription: { ...subscription, state, plan } },
    entries: [{ ...context, reason, event: 'subscription_changed', key: null }],
  };
}

/** Dunning of the ruling subscription: what is owed, and whether that is so for too long (D28). */
function underDunning(account: Account, rules: BillingRules, context: AuditContext): Change {
  const ruling = rulingSubscription(account.payments);
  const { schedule, unasked } = rules;
  // Nothing is collected any more for what has ended.
  const owing = ruling === null || hasEnded(ruling.status.value) ? null : ruling.id;
  const dunning = owing === null ? [] : dunningOf(account.payments, owing, schedule);
  const since =
    owing === null ? null : paymentFailureSince(account.payments, owing, schedule, context.at, unasked);
  const underNewDunning: Change = {
    next: { ...account, dunning },
    entries: newFailures(account.dunning, dunning).map((reason) => ({
      ...context,
      reason,
      event: 'attempt_failed',
      key: null,
    })),
  };
  const withPaymentFailure = afterwards(underNewDunning, (current) =>
    underPaymentFailure(current, since, context),
  );
  return afterwards(withPaymentFailure, (current) => ({
    next: { ...current, pending: pendingOf(current, rules, context.at) },
    entries: [],
  }));
}

function underPaymentFailure(account: Account, since: Moment | null, context: AuditContext): Change {
  const stands = causesOf(account.subscription.suspension).includes('payment_failure');
  if (since === null) {
    return stands ? applyToSubscription(account, 'invoice_paid', context) : { next: account, entries: [] };
  }
  if (stands) return { next: account, entries: [] };
  return applyToSubscription(account, 'payment_failed', {
    ...context,
    at: since,
    reason: 'dunning is exhausted',
  });
}

/** Attempts that were not known of before, in words. */
const newFailures = (before: Dunning, now: Dunning): readonly string[] =>
  now
    .filter(
      ({ id, failedRetries }) =>
        failedRetries > (before.find((other) => other.id === id)?.failedRetries ?? -1),
    )
    .map(({ id, failedRetries }) =>
      failedRetries === 0 ? `${id}: first attempt` : `${id}: retry ${failedRetries}`,
    );

function pendingOf(account: Account, { unasked }: BillingRules, now: Moment): readonly Pending[] {
  const pending: Pending[] = [];
  const asks = unasked === 'unreachable';
  const stands = causesOf(account.subscription.suspension).includes('payment_failure');
  if (account.dunning.length > 0 && !stands) {
    const deadlines = account.dunning.map(({ deadline }) => deadline).sort();
    const ends = account.dunning.map((invoice) => exhaustsAt(invoice, unasked)).sort();
    pending.push({
      event: 'payment_failed',
      at: ends[0] ?? now,
      askAt: asks ? (deadlines[0] ?? now) : null,
    });
  }
  const ruling = rulingSubscription(account.payments);
  const trialEndsAt = ruling?.terms.value.trialEndsAt ?? null;
  if (account.subscription.state === 'trialing' && trialEndsAt !== null) {
    pending.push({ event: 'trial_ended', at: plus(trialEndsAt, DOUBT), askAt: asks ? trialEndsAt : null });
  }
  return pending;
}

/** What the processor is to be asked about by now: invoices that are owed past their deadline, an overdue trial. */
export function questionsOf(
  account: Account,
  now: Moment,
): { readonly invoices: readonly string[]; readonly subscription: string | null } {
  const asked = (event: Pending['event']) =>
    account.pending.some(
      (pending) => pending.event === event && pending.askAt !== null && pending.askAt <= now,
    );
  const overdue = account.dunning.filter(({ deadline }) => deadline <= now);
  return {
    invoices: asked('payment_failed') ? overdue.map(({ id }) => id) : [],
    subscription: asked('trial_ended') ? (rulingSubscription(account.payments)?.id ?? null) : null,
  };
}

/**
 * The account after the processor was asked, whatever came of it: what is not settled is asked again later (D28).
 * Without answers too it is read anew, for the settings may have changed.
 */
export function afterAsking(
  account: Account,
  answers: readonly PaymentEvent[],
  rules: BillingRules,
  context: AuditContext,
): Change {
  // What fell due before the question did has happened, whatever the answer is.
  const [firstAsked = context.at] = account.pending.flatMap(({ askAt }) => askAt ?? []).sort();
  const until = firstAsked < context.at ? plus(firstAsked, -MICROSECOND) : context.at;
  const before = settled(account, until);
  const withAnswers = afterwards(before, (current) => withPaymentEvents(current, answers, rules, context));
  const read = afterwards(withAnswers, (current) => underPayments(current, current.payments, rules, context));
  const after = afterwards(read, (current) => settled(current, context.at));
  return { ...after, next: askedAgain(after.next, context.at) };
}

function askedAgain(account: Account, now: Moment): Account {
  const later = plus(now, ASK_AGAIN_EVERY);
  const pending = account.pending.map((one) =>
    one.askAt !== null && one.askAt <= now ? { ...one, askAt: later < one.at ? later : one.at } : one,
  );
  return { ...account, pending };
}

/** Somebody has an event of the processor applied anew. What comes of it is told by entries of its own. */
export function noteReplay(account: Account, paymentEvent: string, context: AuditContext): Change {
  const reason = context.reason === null ? paymentEvent : `${paymentEvent}: ${context.reason}`;
  return { next: account, entries: [{ ...context, reason, event: 'payment_event_replayed', key: null }] };
}
