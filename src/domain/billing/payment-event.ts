import type { Moment } from '../moment.js';
import { ownValue } from '../own-value.js';
import type { PlanName } from './plan.js';

/** What a processor says of a subscription. Its `past_due` is not a state of ours: see `billing.ts`. */
export const PROCESSOR_STATUSES = [
  'trialing',
  'active',
  'past_due',
  'incomplete',
  'paused',
  'unpaid',
  'incomplete_expired',
  'canceled',
] as const;
export type ProcessorStatus = (typeof PROCESSOR_STATUSES)[number];

/** How an invoice was closed, or given up. */
export type Settlement = 'paid' | 'voided' | 'uncollectible';

/** What happened, whoever the processor is (D29). */
export type PaymentFact =
  | {
      readonly kind: 'subscription';
      readonly subscription: string;
      readonly startedAt: Moment;
      readonly status: ProcessorStatus;
      /** Null where the processor's price is none of our plans. */
      readonly plan: PlanName | null;
      readonly terms: SubscriptionTerms;
    }
  | {
      readonly kind: 'payment_failed';
      readonly invoice: string;
      readonly subscription: string;
      /** Attempts so far, the first counted in. */
      readonly attempts: number;
      readonly nextAttemptAt: Moment | null;
      /** The invoice that a subscription begins with: its failure starts no dunning (D28). */
      readonly isFirstInvoice: boolean;
    }
  | {
      readonly kind: 'invoice_settled';
      readonly invoice: string;
      readonly subscription: string;
      readonly settlement: Settlement;
    }
  | {
      /** The processor was asked, and said that the invoice is still owed (D28). */
      readonly kind: 'invoice_open';
      readonly invoice: string;
      readonly subscription: string;
    };

/** Until when a subscription runs as it is; null where it has no such end. */
export type SubscriptionTerms = { readonly trialEndsAt: Moment | null; readonly periodEndsAt: Moment | null };

export type PaymentEvent = {
  readonly id: string;
  /** When the processor made it, in whole seconds: many events have the same. */
  readonly at: Moment;
  readonly fact: PaymentFact;
};

/** The last word on one thing, and what makes it the last. */
export type Register<Value> = {
  readonly value: Value;
  readonly at: Moment;
  readonly rank: number;
  readonly event: string;
};

export type SubscriptionFacts = {
  readonly startedAt: Moment;
  readonly status: Register<ProcessorStatus>;
  /** Null until an event named a plan of ours. */
  readonly plan: Register<PlanName> | null;
  readonly terms: Register<SubscriptionTerms>;
};

export type FailedAttempt = {
  readonly at: Moment;
  readonly nextAttemptAt: Moment | null;
  readonly event: string;
};

export type InvoiceFacts = {
  readonly subscription: string;
  readonly isFirstInvoice: boolean;
  /** By the number of attempts so far: the earliest word on each. */
  readonly failures: Readonly<Record<number, FailedAttempt>>;
  readonly settlement: Register<Settlement> | null;
  /** When the processor, asked, last said that it is owed; null while it has not. */
  readonly confirmedOpenAt: Moment | null;
};

/** All that is known of a customer's payments, by the processor's own ids. */
export type PaymentFacts = {
  readonly subscriptions: Readonly<Record<string, SubscriptionFacts>>;
  readonly invoices: Readonly<Record<string, InvoiceFacts>>;
};

export const NO_PAYMENT_FACTS: PaymentFacts = { subscriptions: {}, invoices: {} };

/** What has ended does not begin again under the same id (D29). */
export const hasEnded = (status: ProcessorStatus): boolean =>
  status === 'canceled' || status === 'incomplete_expired';

/**
 * The facts with one event more (D29).
 *
 * Each thing that an event tells of is kept apart, and of two words on one thing the same one wins
 * whichever comes first: so events may come in any order, and any number of times.
 */
export function withEvent(facts: PaymentFacts, { id, at, fact }: PaymentEvent): PaymentFacts {
  if (fact.kind === 'subscription') {
    const known = ownValue(facts.subscriptions, fact.subscription);
    const received: SubscriptionFacts = {
      startedAt: fact.startedAt,
      status: { value: fact.status, at, rank: hasEnded(fact.status) ? 1 : 0, event: id },
      plan: fact.plan === null ? null : { value: fact.plan, at, rank: 0, event: id },
      terms: { value: fact.terms, at, rank: 0, event: id },
    };
    const merged = known === undefined ? received : mergedSubscription(known, received);
    return { ...facts, subscriptions: { ...facts.subscriptions, [fact.subscription]: merged } };
  }
  const known = ownValue(facts.invoices, fact.invoice);
  const received = invoiceFactsOf(fact, at, id);
  const merged = known === undefined ? received : mergedInvoice(known, received);
  return { ...facts, invoices: { ...facts.invoices, [fact.invoice]: merged } };
}

type Fact<Kind extends PaymentFact['kind']> = Extract<PaymentFact, { kind: Kind }>;

const NO_FACTS = { isFirstInvoice: false, failures: {}, settlement: null, confirmedOpenAt: null };

function invoiceFactsOf(
  fact: Exclude<PaymentFact, Fact<'subscription'>>,
  at: Moment,
  event: string,
): InvoiceFacts {
  const { subscription } = fact;
  switch (fact.kind) {
    case 'payment_failed': {
      const { isFirstInvoice, attempts, nextAttemptAt } = fact;
      return {
        ...NO_FACTS,
        subscription,
        isFirstInvoice,
        failures: { [attempts]: { at, nextAttemptAt, event } },
      };
    }
    case 'invoice_settled': {
      const rank = fact.settlement === 'uncollectible' ? 0 : 1;
      return { ...NO_FACTS, subscription, settlement: { value: fact.settlement, at, rank, event } };
    }
    case 'invoice_open':
      return { ...NO_FACTS, subscription, confirmedOpenAt: at };
  }
}

const mergedSubscription = (a: SubscriptionFacts, b: SubscriptionFacts): SubscriptionFacts => ({
  startedAt: a.startedAt < b.startedAt ? a.startedAt : b.startedAt,
  status: terminalWins(a.status, b.status),
  plan: a.plan === null || b.plan === null ? (a.plan ?? b.plan) : newerWins(a.plan, b.plan),
  terms: newerWins(a.terms, b.terms),
});

function mergedInvoice(a: InvoiceFacts, b: InvoiceFacts): InvoiceFacts {
  const failures = { ...a.failures };
  for (const [attempts, attempt] of Object.entries(b.failures)) {
    const known = failures[Number(attempts)];
    failures[Number(attempts)] = known === undefined ? attempt : earlier(known, attempt);
  }
  return {
    subscription: a.subscription < b.subscription ? a.subscription : b.subscription,
    isFirstInvoice: a.isFirstInvoice || b.isFirstInvoice,
    failures,
    settlement:
      a.settlement === null || b.settlement === null
        ? (a.settlement ?? b.settlement)
        : terminalWins(a.settlement, b.settlement),
    confirmedOpenAt: laterOf(a.confirmedOpenAt, b.confirmedOpenAt),
  };
}

/** What is final outweighs what is newer; of two such words the first one stands. */
function terminalWins<Value>(a: Register<Value>, b: Register<Value>): Register<Value> {
  if (a.rank !== b.rank) return a.rank > b.rank ? a : b;
  return a.rank === 0 ? newerWins(a, b) : newerWins(a, b) === a ? b : a;
}

/** By the processor's time, then by the id of the event: times have whole seconds only. */
const newerWins = <Value>(a: Register<Value>, b: Register<Value>): Register<Value> =>
  a.at === b.at ? (a.event > b.event ? a : b) : a.at > b.at ? a : b;

const laterOf = (a: Moment | null, b: Moment | null): Moment | null => ((a ?? '') > (b ?? '') ? a : b);

const earlier = (a: FailedAttempt, b: FailedAttempt): FailedAttempt =>
  a.at === b.at ? (a.event < b.event ? a : b) : a.at < b.at ? a : b;
