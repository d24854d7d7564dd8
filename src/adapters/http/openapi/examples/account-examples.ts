import { plus, SECOND } from '../../../../domain/moment.js';
import type { Example } from './example.js';
import { EXAMPLE_TIME } from './example-item.js';

export const ACCOUNT_ID = 'acc_5n2kq8w1';
export const KEY_ID = 'key_7d3mx0c9';
export const EVENT_ID = 'evt_1PqLs2Example';
const SUBSCRIPTION_ID = 'sub_2h9vt4r6';
const CUSTOMER_ID = 'cus_Example';

const at = EXAMPLE_TIME;
const reason = 'The customer asked for it.';

const entry = (event: string, keyId: string | null, why: string | null = null) => ({
  at,
  actor: 'operator',
  event,
  cause: null,
  reason: why,
  key_id: keyId,
});

const key = {
  key_id: KEY_ID,
  account_id: ACCOUNT_ID,
  prefix: 'svc_q9T2mZ0a',
  label: 'production',
  status: 'active',
  causes: [],
  scopes: ['events.read', 'markets.read'],
  issued_at: at,
  revoked_at: null,
  revocation_cause: null,
  grace_until: null,
  predecessor_id: null,
  successor_id: null,
  overlap_ends_at: null,
  last_used_at: plus(at, 5 * SECOND),
  expires_at: null,
  allowed_addresses: ['203.0.113.0/24'],
  requests_per_minute: 600,
  requests_per_day: null,
};

const keyWithAudit = { ...key, audit: [entry('issued', KEY_ID)] };
const issuedKey = { ...key, last_used_at: null, key: 'svc_<43 characters>' };

const account = {
  account_id: ACCOUNT_ID,
  subscription_id: SUBSCRIPTION_ID,
  email: 'owner@example.com',
  processor_customer_id: CUSTOMER_ID,
  opened_at: at,
  subscription: {
    subscription_id: SUBSCRIPTION_ID,
    plan: 'pro',
    state: 'active',
    causes: [],
    dunning: null,
    abuse_detection: true,
    processor_subscription_id: null,
    trial_ends_at: null,
    period_ends_at: null,
  },
  keys: [key],
  audit: [entry('opened', null), entry('issued', KEY_ID)],
};

const paymentEvent = {
  event_id: EVENT_ID,
  type: 'invoice.paid',
  created_at: at,
  received_at: plus(at, SECOND),
  state: 'applied',
  fault: null,
  account_id: ACCOUNT_ID,
  processor_customer_id: CUSTOMER_ID,
};

/** Examples of the calls about accounts, keys and payments, by operation. */
export const accountExamples: Readonly<Record<string, Example>> = {
  findAccount: { response: account },
  openAccount: {
    request: { email: 'owner@example.com', plan: 'pro', processor_customer_id: CUSTOMER_ID },
    response: account,
  },
  readAccount: { response: account },
  issueKey: { request: { label: 'production' }, response: issuedKey },
  rotateKey: { request: { label: 'production 2026' }, response: issuedKey },
  holdAccount: { request: { reason }, response: account },
  releaseAccount: { request: { cause: 'abuse', reason }, response: account },
  readKey: { response: keyWithAudit },
  revokeKey: { request: { cause: 'manual', reason }, response: keyWithAudit },
  holdKey: { request: { reason }, response: keyWithAudit },
  releaseKey: { request: { reason }, response: keyWithAudit },
  linkCustomer: { request: { processor_customer_id: CUSTOMER_ID }, response: account },
  setAbuseDetection: { request: { enabled: false, reason }, response: account },
  makeCheckoutReference: {
    response: { checkout_reference: `${ACCOUNT_ID}_signature`, expires_at: plus(at, 86_400 * SECOND) },
  },
  listPaymentEvents: { response: { events: [paymentEvent] } },
  readPaymentEvent: { response: paymentEvent },
  replayPaymentEvent: { response: paymentEvent },
  receiveWebhook: { request: { id: EVENT_ID, object: 'event' }, response: { state: 'applied' } },
  simulatePayment: {
    request: { account_id: ACCOUNT_ID, outcome: 'pay' },
    response: { delivered: [{ type: 'invoice.paid', status: 200 }] },
  },
};
