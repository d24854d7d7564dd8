import { randomUUID } from 'node:crypto';
import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import { NOON } from './builders.js';

/** An event with a unique id. By default it pauses the subscription of a customer that no account has. */
export const receivedEvent = (more: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  id: `evt_${randomUUID()}`,
  type: 'customer.subscription.updated',
  at: NOON,
  customer: `cus_${randomUUID()}`,
  link: null,
  fact: {
    kind: 'subscription',
    subscription: 'sub_1',
    startedAt: NOON,
    status: 'paused',
    plan: null,
    terms: { trialEndsAt: null, periodEndsAt: null },
  },
  fault: null,
  payload: Buffer.from([0x7b, 0x00, 0xff, 0x7d]),
  ...more,
});
