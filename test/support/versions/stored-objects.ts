import type { Knex } from 'knex';
import { Instances } from '../../../src/adapters/postgres/instances.js';
import type { postgresStores } from '../../../src/adapters/postgres/postgres-stores.js';
import { PostgresTestClock } from '../../../src/adapters/postgres/postgres-test-clock.js';
import { applyPaymentEvent } from '../../../src/application/billing/apply-payment-event.js';
import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import {
  type Account,
  type AccountId,
  type Change,
  openAccount,
} from '../../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import type { BillingRules } from '../../../src/domain/billing/account-payments.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import type { PaymentFact } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { setMonitoring } from '../../../src/domain/limits/abuse.js';
import { DAY, HOUR, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import type { Refusal } from '../../../src/domain/refusal.js';
import { recordJoin } from '../../../src/domain/sign-in/account-identities.js';
import { type Session, type SessionHolder, startSession } from '../../../src/domain/sign-in/session.js';
import { flowToken, linkToken, type SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { accepted, auditContext, freshKey, keyId, NOON } from '../objects/builders.js';

export type Stores = ReturnType<typeof postgresStores>;

export const RULES: BillingRules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'unreachable' };

export const minutes = (count: number): Moment => plus(NOON, count * MINUTE);

/** In order: keys in every state; suspended by hold and abuse; payment failed; canceled; linked by a checkout. */
export const ACCOUNTS = ['acc_keys', 'acc_trial', 'acc_owing', 'acc_canceled', 'acc_linked'] as AccountId[];
export const [KEYS, TRIAL, OWING, CANCELED, LINKED] = ACCOUNTS as [
  AccountId,
  AccountId,
  AccountId,
  AccountId,
  AccountId,
];

export const hash = (name: string): SecretHash => `hash of ${name}` as SecretHash;
export const email = (name: string): EmailAddress => `${name}@example.org` as EmailAddress;

export const LINK = linkToken(email('ada'), hash('the browser'), NOON);
export const FLOW = flowToken(
  'oidc',
  'operator',
  { state: 'a state', nonce: 'a nonce', codeVerifier: 'a verifier' },
  NOON,
);

export const HOLDERS: readonly SessionHolder[] = [
  { kind: 'account', account: KEYS },
  { kind: 'operator', name: 'operator', by: { token: hash('the token') } },
  { kind: 'operator', name: 'operator eve@example.org', by: { group: 'operators' } },
];
export const sessionOf = (holder: SessionHolder): Session => startSession(holder, NOON);

export const ITEM_JSON = Buffer.from('{"news_event":{"id":"ne_1"}}');

/** Stores one object of each kind, with the same names and times in every run. */
export async function writeEverything(db: Knex, stores: Stores): Promise<void> {
  await writeAccounts(stores);
  await writePayments(stores);
  await writeSignIns(stores);
  await writeRest(db, stores);
}

const changing =
  ({ accounts }: Pick<Stores, 'accounts'>, id: AccountId) =>
  async (decide: (account: Account) => Change | Refusal) =>
    accepted(await accounts.change(id, decide));

async function writeAccounts(stores: Stores): Promise<void> {
  for (const id of ACCOUNTS) {
    const name = id.slice('acc_'.length);
    const opening = openAccount(
      {
        id,
        subscriptionId: `sub_${name}` as SubscriptionId,
        email: email(name),
        plan: 'pro',
        processorCustomerId: id === LINKED ? null : `cus_${name}`,
      },
      auditContext(NOON, 'operator', 'by phone'),
    );
    accepted(await stores.accounts.open(opening));
    const fresh = { ...freshKey(name), label: 'production' as Label };
    await changing(stores, id)((found) => issueKey(found, fresh, PLANS.pro, auditContext(minutes(1))));
  }
  const change = changing(stores, KEYS);
  for (const name of ['held', 'retired', 'revoked', 'older']) {
    await change((found) => issueKey(found, freshKey(name), PLANS.pro, auditContext(minutes(2))));
  }
  const by = auditContext(minutes(3), 'operator', 'leaked');
  await change((found) => applyOperatorEvent(found, keyId('held'), 'held', by));
  await change((found) => applyOperatorEvent(found, keyId('revoked'), 'held', by));
  await change((found) => revokeKey(found, keyId('revoked'), 'manual', by));
  await change((found) => rotateKey(found, keyId('older'), freshKey('successor'), auditContext(minutes(4))));
  await change((found) => revokeKey(found, keyId('retired'), 'rotation', auditContext(minutes(5))));
  const held = auditContext(minutes(3), 'operator', 'a claim');
  await changing(stores, TRIAL)((found) => applyToSubscription(found, 'held', held));
  await changing(stores, TRIAL)((found) => applyToSubscription(found, 'abuse_detected', held));
  await changing(stores, TRIAL)((found) => setMonitoring(found, false, held));
}

type SubscriptionParts = Partial<Omit<ReceivedEvent, 'fact'>> & { readonly fact: PaymentFact | null };

export const eventOf = (id: string, { fact, ...more }: SubscriptionParts): ReceivedEvent => ({
  id,
  type: `type of ${id}`,
  at: minutes(6),
  customer: null,
  link: null,
  fact,
  fault: null,
  payload: Buffer.from([0x7b, 0x00, 0xff, 0x7d]),
  ...more,
});

export const subscription = (
  name: string,
  status: 'trialing' | 'active' | 'canceled' | 'paused',
): PaymentFact => ({
  kind: 'subscription',
  subscription: `psub_${name}`,
  startedAt: NOON,
  status,
  plan: status === 'paused' ? null : 'builder',
  terms: {
    trialEndsAt: status === 'trialing' ? plus(NOON, DAY) : null,
    periodEndsAt: plus(NOON, 30 * DAY),
  },
});

const failed = (name: string, invoice: string, attempts: number, isFirstInvoice = false): PaymentFact => ({
  kind: 'payment_failed',
  invoice,
  subscription: `psub_${name}`,
  attempts,
  nextAttemptAt: attempts === 5 ? null : plus(NOON, 3 * DAY),
  isFirstInvoice,
});

/** Events of each kind and in each state. */
async function writePayments({ inbox }: Stores): Promise<void> {
  const invoice = (name: string, id: string) => ({ invoice: id, subscription: `psub_${name}` });
  const [trial, owing, canceled] = ['cus_trial', 'cus_owing', 'cus_canceled'];
  const events: readonly ReceivedEvent[] = [
    eventOf('evt_01', { customer: trial, fact: subscription('trial', 'trialing') }),
    eventOf('evt_02', { customer: trial, fact: failed('trial', 'in_open', 1) }),
    // Polled after the deadline: only then does the answer change the end of dunning.
    eventOf('evt_03', {
      ...{ customer: trial, at: plus(NOON, 15 * DAY) },
      fact: { kind: 'invoice_open', ...invoice('trial', 'in_open') },
    }),
    eventOf('evt_04', { customer: trial, fact: failed('trial', 'in_first', 1, true) }),
    eventOf('evt_05', {
      customer: trial,
      fact: { kind: 'invoice_settled', ...invoice('trial', 'in_first'), settlement: 'paid' },
    }),
    eventOf('evt_06', { customer: owing, fact: subscription('owing', 'active') }),
    eventOf('evt_07', { customer: owing, fact: failed('owing', 'in_owed', 5) }),
    eventOf('evt_08', { customer: canceled, fact: subscription('canceled', 'canceled') }),
    eventOf('evt_09', {
      customer: 'cus_linked',
      link: { account: LINKED, refusal: null },
      fact: null,
    }),
    eventOf('evt_10', { customer: 'cus_nobody', fact: subscription('nobody', 'paused') }),
    eventOf('evt_11', {
      customer: 'cus_other',
      link: { account: KEYS, refusal: 'expired' },
      fact: null,
    }),
    eventOf('evt_12', { fault: 'it has no type', fact: null }),
    eventOf('evt_13', { fact: null }),
  ];
  for (const event of events) await inbox.receive(event, minutes(7), applyPaymentEvent(RULES, minutes(7)));
}

async function writeSignIns({ oneTimeTokens, sessions, identities }: Stores): Promise<void> {
  await oneTimeTokens.keep(hash('a link'), LINK);
  await oneTimeTokens.keep(hash('a flow'), FLOW);
  for (const [n, holder] of HOLDERS.entries()) await sessions.start(hash(`session ${n}`), sessionOf(holder));
  await sessions.note(hash('session 0'), minutes(9));
  const identity = { issuer: 'https://id.example', subject: 'ada', joinedAt: minutes(8) };
  await identities.join(identity, KEYS, (found) =>
    recordJoin(found, identity.issuer, auditContext(minutes(8))),
  );
}

async function writeRest(db: Knex, { outbox, leases, usage, keyUses, feed }: Stores): Promise<void> {
  const claimed = await outbox.claim(minutes(60), 6);
  // The second and the fourth stay claimed.
  const [refused, , doubtful, , later, sent] = claimed.map(({ id }) => id);
  if (sent === undefined || refused === undefined || doubtful === undefined || later === undefined)
    throw new Error(`there are too few notices: ${claimed.length}`);
  await outbox.close(sent, 'sent');
  await outbox.close(refused, 'refused');
  await outbox.close(doubtful, 'in doubt');
  await outbox.putBack(later, plus(NOON, DAY));
  const lease = await leases.acquire('a work', NOON, true);
  if (lease !== null) await leases.release(lease, minutes(-5), minutes(15));
  for (const status of [200, 200, 304, 429, 503]) usage.note(keyId('keys'), status, NOON);
  await usage.write();
  keyUses.note(keyId('keys'), minutes(9));
  await keyUses.write();
  const item = (id: string, at: Moment, subMarketIds: readonly string[]) => ({
    ...{ id, scoredAt: at, json: ITEM_JSON, subMarketIds },
  });
  await feed.publish([item('ne_1', minutes(1), ['sm_1', 'sm_2']), item('ne_2', minutes(2), [])], 'live');
  await feed.publish([item('ne_0', minutes(0), ['sm_1'])], 'backfill');
  await feed.retract('ne_2');
  const instances = new Instances(db, () => {});
  const clock = new PostgresTestClock(db, instances, () => NOON);
  await clock.advance(HOUR);
  await clock.close();
}
