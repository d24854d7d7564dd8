import type { PaymentEvent, ProcessorStatus, Settlement } from '../../../src/domain/billing/payment-event.js';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import { DAY, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from './builders.js';

/** The moment `days` days after `NOON`. */
export const day = (days: number): Moment => plus(NOON, Math.round(days * DAY));

let events = 0;

/** An event on a day. Ids increase, which orders events with the same time. */
const event = (days: number, fact: PaymentEvent['fact']): PaymentEvent => {
  events += 1;
  return { id: `evt_${String(events).padStart(6, '0')}`, at: day(days), fact };
};

export type SubscriptionParts = {
  readonly id?: string;
  readonly startedOn?: number;
  readonly plan?: PlanName | null;
  readonly trialEndsOn?: number;
};

/** An event with the status of a subscription. */
export const subscriptionEvent = (
  days: number,
  status: ProcessorStatus,
  more: SubscriptionParts = {},
): PaymentEvent =>
  event(days, {
    kind: 'subscription',
    subscription: more.id ?? 'sub_1',
    startedAt: day(more.startedOn ?? 0),
    status,
    plan: more.plan ?? null,
    terms: { trialEndsAt: more.trialEndsOn === undefined ? null : day(more.trialEndsOn), periodEndsAt: null },
  });

export type Failed = {
  readonly invoice?: string;
  readonly nextAttemptAt?: Moment;
  readonly isFirstInvoice?: boolean;
};

/** An event that the nth attempt to collect an invoice failed. */
export const failed = (days: number, attempts: number, more: Failed = {}): PaymentEvent =>
  event(days, {
    kind: 'payment_failed',
    invoice: 'in_1',
    subscription: 'sub_1',
    attempts,
    nextAttemptAt: null,
    isFirstInvoice: false,
    ...more,
  });

export const settledAs = (days: number, settlement: Settlement, invoice = 'in_1'): PaymentEvent =>
  event(days, { kind: 'invoice_settled', invoice, subscription: 'sub_1', settlement });

export const paid = (days: number, invoice?: string): PaymentEvent => settledAs(days, 'paid', invoice);

/** An event that the processor, when polled, reports an invoice as open. */
export const stillOpen = (days: number, invoice = 'in_1'): PaymentEvent =>
  event(days, { kind: 'invoice_open', invoice, subscription: 'sub_1' });
