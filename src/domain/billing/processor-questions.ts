import type { Account, Pending } from '../accounts/account.js';
import { MINUTE, type Moment, plus, SECOND } from '../moment.js';
import { rulingSubscription } from './billing.js';
import { CONFIRMATION_TIMEOUT } from './dunning.js';
import { type PaymentEvent, type PaymentFacts, undecidedSubscriptions } from './payment-event.js';

/** The interval of a question that is still open (D28). */
const ASK_AGAIN_EVERY = 5 * MINUTE;

/**
 * The objects whose state the service must ask the processor for at `now`: open invoices after their deadline, the ruling
 * subscription after the end of its trial, or if a deadline passed that no known invoice has, and each subscription whose
 * events do not tell its state.
 */
export function openQuestions(
  account: Account,
  now: Moment,
): { readonly invoices: readonly string[]; readonly subscriptions: readonly string[] } {
  const isToBeAsked = (event: Pending['event']) =>
    account.pending.some(
      (pending) => pending.event === event && pending.askAt !== null && pending.askAt <= now,
    );
  const isPaymentAsked = isToBeAsked('payment_failed');
  const overdue = isPaymentAsked ? account.dunning.filter(({ deadline }) => deadline <= now) : [];
  const isSubscriptionAsked = isToBeAsked('trial_ended') || (isPaymentAsked && overdue.length === 0);
  const ruling = isSubscriptionAsked ? rulingSubscription(account.payments) : null;
  const areTiesAsked = account.askTiesAt !== null && account.askTiesAt <= now;
  const asked = [
    ...(ruling === null ? [] : [ruling]),
    ...(areTiesAsked ? undecidedSubscriptions(account.payments) : []),
  ];
  return { invoices: overdue.map(({ id }) => id), subscriptions: [...new Set(asked.map(({ id }) => id))] };
}

/** Whether the state of the account depends on answers of the processor, or on the time until which they are awaited. */
export const hasQuestions = ({ pending, askTiesAt }: Account): boolean =>
  pending.length > 0 || askTiesAt !== null;

/** When to ask about events of one second that do not tell their order: at once, and for `CONFIRMATION_TIMEOUT` at most: then the event ids decide. */
export function tieQuestionAt({ payments }: Account, now: Moment): Moment | null {
  const isOpen = undecidedSubscriptions(payments).some(({ at }) => now < plus(at, CONFIRMATION_TIMEOUT));
  return isOpen ? now : null;
}

/**
 * An answer is later than the events which it decides about, also if the clock of the processor is ahead: they had arrived
 * before the question.
 */
export function answersAfterTies(
  payments: PaymentFacts,
  answers: readonly PaymentEvent[],
): readonly PaymentEvent[] {
  const undecided = undecidedSubscriptions(payments);
  return answers.map((answer) => {
    const tie = undecided.find(
      ({ id }) => answer.fact.kind === 'subscription' && answer.fact.subscription === id,
    );
    return tie === undefined || answer.at > tie.at ? answer : { ...answer, at: plus(tie.at, SECOND) };
  });
}

/** The account after its due questions were asked, with or without an answer. */
export function askAgainLater(account: Account, now: Moment): Account {
  const later = plus(now, ASK_AGAIN_EVERY);
  const pending = account.pending.map((one) =>
    one.askAt !== null && one.askAt <= now ? { ...one, askAt: later < one.at ? later : one.at } : one,
  );
  const askTiesAt = account.askTiesAt !== null && account.askTiesAt <= now ? later : account.askTiesAt;
  return { ...account, pending, askTiesAt };
}
