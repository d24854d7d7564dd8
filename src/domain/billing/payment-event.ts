import type { Moment } from '../moment.js';
import { ownValue } from '../own-value.js';
import type { PlanName } from './plan.js';
import { isUndecided, newerWins, type Register, terminalWins } from './register.js';

/** The subscription statuses of the processor. `billing.ts` maps them to our states. */
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

/** How an invoice was closed, or written off. */
export type Settlement = 'paid' | 'voided' | 'uncollectible';

/** The content of a payment event, independent of the processor (D29). */
export type PaymentFact =
  | {
      readonly kind: 'subscription';
      readonly subscription: string;
      readonly startedAt: Moment;
      readonly status: ProcessorStatus;
      /** Null if the price of the processor matches none of our plans. */
      readonly plan: PlanName | null;
      readonly terms: SubscriptionTerms;
      /** `creation`: it is before every other event of its second. `terms`: its state counts only until another event reports one. */
      readonly reports?: 'creation' | 'terms';
      /** The values before the event, as far as it names them. */
      readonly previously?: { readonly status?: ProcessorStatus; readonly plan?: PlanName };
    }
  | {
      readonly kind: 'payment_failed';
      readonly invoice: string;
      readonly subscription: string;
      /** Attempts so far, including the first. */
      readonly attempts: number;
      readonly nextAttemptAt: Moment | null;
      /** Whether it is the first invoice of a subscription, whose failure starts no dunning (D28). */
      readonly isFirstInvoice: boolean;
    }
  | {
      readonly kind: 'invoice_settled';
      readonly invoice: string;
      readonly subscription: string;
      readonly settlement: Settlement;
    }
  | {
      /** The service asked the processor, and it answered that the invoice is still open (D28). */
      readonly kind: 'invoice_open';
      readonly invoice: string;
      readonly subscription: string;
    };

/** When the trial and the current period of a subscription end; null if there is no such end. */
export type SubscriptionTerms = { readonly trialEndsAt: Moment | null; readonly periodEndsAt: Moment | null };

export type PaymentEvent = {
  readonly id: string;
  /** When the processor created it, in whole seconds: several events often have the same time. */
  readonly at: Moment;
  readonly fact: PaymentFact;
};

/** When the processor created the events that report `past_due`, in order, after the last one with another status. */
export type PastDueTimes = { readonly at: readonly Moment[]; readonly otherAt: Moment | null };

export type SubscriptionFacts = {
  readonly startedAt: Moment;
  /**
   * Whether an event reported it as served; false if it was only `incomplete` until now. Absent if the events do not tell,
   * and in facts that version 0.2.0 wrote; see `wasServed`.
   */
  readonly served?: boolean;
  readonly status: Register<ProcessorStatus>;
  /** Absent in facts that version 0.2.0 wrote; see `pastDueTimes`. */
  readonly pastDue?: PastDueTimes;
  /** Null until an event named one of our plans. */
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
  /** The earliest event for each number of attempts. */
  readonly failures: Readonly<Record<number, FailedAttempt>>;
  readonly settlement: Register<Settlement> | null;
  /** When the processor last answered that it is open; null if it never did. */
  readonly confirmedOpenAt: Moment | null;
};

/** All known facts about the payments of a customer, by the ids of the processor. */
export type PaymentFacts = {
  readonly subscriptions: Readonly<Record<string, SubscriptionFacts>>;
  readonly invoices: Readonly<Record<string, InvoiceFacts>>;
};

export const NO_PAYMENT_FACTS: PaymentFacts = { subscriptions: {}, invoices: {} };

/** Whether a status is terminal: a subscription that has ended never restarts under the same id (D29). */
export const hasEnded = (status: ProcessorStatus): boolean =>
  status === 'canceled' || status === 'incomplete_expired';

/** A subscription whose events of one second, at `at`, do not tell what its state or its plan is (D29). */
export type UndecidedSubscription = { readonly id: string; readonly at: Moment };

export function undecidedSubscriptions({ subscriptions }: PaymentFacts): readonly UndecidedSubscription[] {
  return Object.entries(subscriptions).flatMap(([id, { status, plan }]) => {
    if (hasEnded(status.value)) return [];
    const [latest] = [status, plan]
      .filter((register) => register !== null)
      .filter(isUndecided)
      .map(({ at }) => at)
      .sort()
      .reverse();
    return latest === undefined ? [] : [{ id, at: latest }];
  });
}

/** What a status tells about service until then; undefined if it tells nothing. */
// biome-ignore format: a table is read by its columns
const TELLS_SERVICE: Readonly<Record<ProcessorStatus, boolean | undefined>> = {
  trialing:           true,
  active:             true,
  past_due:           true,
  incomplete:         false,
  paused:             true,      // The processor pauses a subscription at the end of its trial.
  unpaid:             true,      // It follows `past_due`.
  incomplete_expired: false,
  canceled:           undefined,
};

/**
 * Whether a subscription was ever served, so that its end takes the keys (contract section 3.1). One that ended without
 * any other report counts as served.
 */
export const wasServed = (facts: SubscriptionFacts): boolean => servedIn(facts) ?? true;

const servedIn = ({ served, status }: SubscriptionFacts): boolean | undefined =>
  eitherServed(served, TELLS_SERVICE[status.value]);

/** Service at any time outweighs the time before the first payment. */
const eitherServed = (a: boolean | undefined, b: boolean | undefined): boolean | undefined =>
  a === undefined || b === undefined ? (a ?? b) : a || b;

/**
 * Merges one event into the facts (D29).
 *
 * Each property has its own register. Of two values, the same one wins in either order. Therefore events may arrive in
 * any order and more than once.
 */
export function mergeEvent(facts: PaymentFacts, { id, at, fact }: PaymentEvent): PaymentFacts {
  if (fact.kind === 'subscription') {
    const known = ownValue(facts.subscriptions, fact.subscription);
    const received = subscriptionFactsOf(fact, at, id);
    const merged = known === undefined ? received : mergeSubscription(known, received);
    return { ...facts, subscriptions: { ...facts.subscriptions, [fact.subscription]: merged } };
  }
  const known = ownValue(facts.invoices, fact.invoice);
  const received = invoiceFactsOf(fact, at, id);
  const merged = known === undefined ? received : mergeInvoice(known, received);
  return { ...facts, invoices: { ...facts.invoices, [fact.invoice]: merged } };
}

type Fact<Kind extends PaymentFact['kind']> = Extract<PaymentFact, { kind: Kind }>;

function subscriptionFactsOf(fact: Fact<'subscription'>, at: Moment, event: string): SubscriptionFacts {
  const { startedAt, status, plan, terms, reports, previously = {} } = fact;
  const source = { at, event, ...(reports === 'creation' && { created: true as const }) };
  const state = { ...source, ...(reports === 'terms' && { provisional: true as const }) };
  const before = <Value>(previous: Value | undefined) => (previous === undefined ? {} : { previous });
  return {
    startedAt,
    status: { value: status, ...state, rank: hasEnded(status) ? 1 : 0, ...before(previously.status) },
    plan: plan === null ? null : { value: plan, ...state, rank: 0, ...before(previously.plan) },
    terms: { value: terms, ...source, rank: 0 },
  };
}

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

function mergeSubscription(a: SubscriptionFacts, b: SubscriptionFacts): SubscriptionFacts {
  const status = terminalWins(a.status, b.status);
  return {
    startedAt: a.startedAt < b.startedAt ? a.startedAt : b.startedAt,
    ...beyondStatus(
      status,
      eitherServed(servedIn(a), servedIn(b)),
      mergePastDue(pastDueTimes(a), pastDueTimes(b)),
    ),
    status,
    plan: a.plan === null || b.plan === null ? (a.plan ?? b.plan) : newerWins(a.plan, b.plan),
    terms: newerWins(a.terms, b.terms),
  };
}

/** What the status does not tell by itself: version 0.2.0 neither reads nor writes it. */
function beyondStatus(
  status: Register<ProcessorStatus>,
  served: boolean | undefined,
  pastDue: PastDueTimes,
): Pick<SubscriptionFacts, 'served' | 'pastDue'> {
  const { value } = status;
  const implied = pastDueTimesOf(status);
  const isImplied = implied.otherAt === pastDue.otherAt && implied.at.join() === pastDue.at.join();
  return {
    ...(served !== undefined && served !== TELLS_SERVICE[value] && { served }),
    ...(!isImplied && { pastDue }),
  };
}

/** What the processor reported with `past_due` and without it, as far as it is known. */
export const pastDueTimes = ({ pastDue, status }: SubscriptionFacts): PastDueTimes =>
  pastDue ?? pastDueTimesOf(status);

function pastDueTimesOf({ value, at, provisional }: Register<ProcessorStatus>): PastDueTimes {
  if (value === 'past_due') return { at: [at], otherAt: null };
  return { at: [], otherAt: provisional ? null : at };
}

function mergePastDue(a: PastDueTimes, b: PastDueTimes): PastDueTimes {
  const otherAt = laterOf(a.otherAt, b.otherAt);
  const at = [...new Set([...a.at, ...b.at])].filter((one) => one > (otherAt ?? '')).sort();
  return { at, otherAt };
}

function mergeInvoice(a: InvoiceFacts, b: InvoiceFacts): InvoiceFacts {
  const failures = { ...a.failures };
  for (const [attempts, attempt] of Object.entries(b.failures)) {
    const known = failures[Number(attempts)];
    failures[Number(attempts)] = known === undefined ? attempt : earlierOf(known, attempt);
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

const laterOf = (a: Moment | null, b: Moment | null): Moment | null => ((a ?? '') > (b ?? '') ? a : b);

const earlierOf = (a: FailedAttempt, b: FailedAttempt): FailedAttempt =>
  a.at === b.at ? (a.event < b.event ? a : b) : a.at < b.at ? a : b;
