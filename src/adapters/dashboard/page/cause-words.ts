import type { SubscriptionState } from '../../../domain/subscription.js';
import type { SuspensionCause } from '../../../domain/suspension.js';

type Words = { readonly why: string; readonly wayBack: string };

/** Why requests get 402, and the way back, for people (D20). */
export const CAUSE_WORDS: Readonly<Record<SuspensionCause, Words>> = {
  payment_failure: {
    why: 'Payments failed again and again.',
    wayBack: 'Pay every open invoice: it works again by itself, unchanged.',
  },
  abuse: {
    why: 'It was used in a way that looks like abuse.',
    wayBack: 'Write to us and tell us what runs.',
  },
  manual_hold: {
    why: 'We have placed a hold.',
    wayBack: 'Write to us: we lift it once the matter is settled.',
  },
};

/** What a state of the subscription is called, and what it does to requests (D27). */
export const STATE_WORDS: Readonly<
  Record<SubscriptionState, { readonly name: string; readonly refused: Words | null }>
> = {
  trialing: { name: 'on trial', refused: null },
  active: { name: 'active', refused: null },
  incomplete: {
    name: 'incomplete',
    refused: {
      why: 'The first payment has not gone through.',
      wayBack: 'Complete the payment: keys work then.',
    },
  },
  paused: {
    name: 'paused',
    refused: { why: 'The subscription is paused.', wayBack: 'Resume it: keys work again then.' },
  },
  unpaid: {
    name: 'unpaid',
    refused: {
      why: 'Invoices are unpaid.',
      wayBack: 'Pay every open invoice: keys work again by themselves.',
    },
  },
  canceled: {
    name: 'canceled',
    refused: {
      why: 'The subscription has ended, and its keys with it.',
      wayBack: 'Subscribe again, then make new keys.',
    },
  },
};
