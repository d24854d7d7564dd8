import { createHmac, randomUUID } from 'node:crypto';

/** Stripe's objects and webhooks in their wire format, built without its library. */

const id = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '').slice(0, 20)}`;

export type SubscriptionParts = {
  readonly id?: string;
  readonly customer?: string | null;
  readonly status?: string;
  readonly created?: number;
  readonly lookupKey?: string | null;
  readonly price?: object;
  readonly trialEnd?: number | null;
  readonly more?: object;
};

/** `NOON`, 2026-03-01T12:00:00Z, as a Unix time. */
export const NOON_SECONDS = 1_772_366_400;

export const stripeSubscription = (parts: SubscriptionParts = {}) => ({
  id: parts.id ?? id('sub'),
  object: 'subscription',
  customer: parts.customer ?? 'cus_1',
  status: parts.status ?? 'active',
  created: parts.created ?? NOON_SECONDS,
  trial_end: parts.trialEnd ?? null,
  items: {
    data: [
      {
        id: id('si'),
        current_period_end: NOON_SECONDS + 30 * 86_400,
        price: parts.price ?? {
          id: 'price_1',
          lookup_key: parts.lookupKey ?? 'pro',
          product: 'prod_1',
          metadata: {},
        },
      },
    ],
  },
  ...parts.more,
});

export type InvoiceParts = {
  readonly id?: string;
  readonly customer?: string | null;
  readonly subscription?: string | null;
  readonly attempts?: number;
  readonly nextAttempt?: number | null;
  readonly reason?: string;
  readonly status?: string;
  readonly isOld?: boolean;
  readonly more?: object;
};

/** An invoice in the format of newer API versions, unless `isOld`. */
export const stripeInvoice = (parts: InvoiceParts = {}) => ({
  id: parts.id ?? id('in'),
  object: 'invoice',
  customer: parts.customer ?? 'cus_1',
  status: parts.status ?? 'open',
  attempt_count: parts.attempts ?? 1,
  next_payment_attempt: parts.nextAttempt ?? null,
  billing_reason: parts.reason ?? 'subscription_cycle',
  ...(parts.isOld
    ? { subscription: parts.subscription ?? null }
    : { parent: { subscription_details: { subscription: parts.subscription ?? null } } }),
  ...parts.more,
});

export type StripeEvent = {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: object };
};

export const stripeEvent = (
  type: string,
  object: object,
  created = NOON_SECONDS,
  eventId = id('evt'),
): StripeEvent =>
  ({
    id: eventId,
    object: 'event',
    api_version: '2026-10-28',
    created,
    type,
    data: { object },
  }) as StripeEvent;

/** The `Stripe-Signature` header for a body. */
export const stripeSignatureHeader = (body: string | Buffer, secret: string, seconds: number): string => {
  const mac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${mac}`;
};
