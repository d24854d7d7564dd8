// Longer than 300 lines: one suite for all promises of the port.

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { applyPaymentEvent } from '../../../src/application/billing/apply-payment-event.js';
import type { ApplyEvent, ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import type { Account, AccountId } from '../../../src/domain/accounts/account.js';
import type { BillingRules } from '../../../src/domain/billing/account-payments.js';
import type { LinkRefusal } from '../../../src/domain/billing/checkout-reference.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import type { ProcessorStatus } from '../../../src/domain/billing/payment-event.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { refuse } from '../../../src/domain/refusal.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { anOpening } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { InboxAndAccounts } from './adapters.js';

/** Several rounds, so that connections are open and calls really overlap. */
const ROUNDS = 10;

const RULES: BillingRules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' };
const apply: ApplyEvent = applyPaymentEvent(RULES, plus(NOON, MINUTE));

const receivedEvent = (
  customer: string | null,
  status: ProcessorStatus = 'paused',
  more: Partial<ReceivedEvent> = {},
) => ({
  id: `evt_${randomUUID()}`,
  type: 'customer.subscription.updated',
  at: NOON,
  customer,
  link: null,
  fact: {
    kind: 'subscription' as const,
    subscription: 'sub_1',
    startedAt: NOON,
    status,
    plan: null,
    terms: { trialEndsAt: null, periodEndsAt: null },
  },
  fault: null,
  payload: Buffer.from([0x7b, 0x00, 0xff, 0x7d]),
  ...more,
});

eachAdapter('PaymentInbox', contracts.inboxes, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;
  const customerOf = async ({ accounts }: InboxAndAccounts): Promise<[Account, string]> => {
    const customer = `cus_${randomUUID()}`;
    return [accepted(await accounts.open(anOpening('pro', { processorCustomerId: customer }))), customer];
  };
  const stateNow = async ({ accounts }: InboxAndAccounts, id: AccountId) =>
    (await accounts.find(id))?.subscription.state;

  it('stores an event and applies it to the account of its customer, with its record (D25, D29)', async () => {
    const [one, other] = await pair();
    const [account, customer] = await customerOf(one);
    const event = receivedEvent(customer);
    const receipt = await one.inbox.receive(event, NOON, apply);
    expect([receipt.state, receipt.account?.subscription.state]).to.deep.equal(['applied', 'paused']);
    expect(await stateNow(other, account.id)).to.equal('paused');
    const { link, ...kept } = event;
    expect(await other.inbox.find(event.id)).to.deep.equal({
      ...kept,
      linksTo: null,
      state: 'applied',
      receivedAt: NOON,
      account: account.id,
    });
    const audit = await other.accounts.auditOf(account.id);
    expect(audit.map(({ event: what, reason }) => [what, reason])).to.deep.equal([
      ['opened', null],
      ['subscription_changed', 'pro active → pro paused'],
    ]);
  });

  it('applies an event once, even if it is received ten times concurrently (D29)', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const [account, customer] = await customerOf(stores[0]);
      const event = receivedEvent(customer);
      const receipts = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[(i % 2) as 0 | 1].inbox.receive(event, NOON, apply)),
      );
      expect(receipts.map(({ state }) => state).sort()).to.deep.equal([
        'applied',
        ...Array.from({ length: 9 }, () => 'known'),
      ]);
      expect(await stores[1].accounts.auditOf(account.id)).to.have.length(2);
    }
  });

  it('applies ten concurrent events of one customer, each on the result of the others (D29)', async () => {
    const stores = await pair();
    const failed = (customer: string, attempts: number) =>
      receivedEvent(customer, 'active', {
        type: 'invoice.payment_failed',
        fact: {
          kind: 'payment_failed',
          invoice: `in_${attempts}`,
          subscription: 'sub_1',
          attempts: 1,
          nextAttemptAt: null,
          isFirstInvoice: false,
        },
      });
    for (let round = 0; round < ROUNDS; round += 1) {
      const [account, customer] = await customerOf(stores[0]);
      await stores[0].inbox.receive(receivedEvent(customer, 'past_due'), NOON, apply);
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          stores[(i % 2) as 0 | 1].inbox.receive(failed(customer, i), NOON, apply),
        ),
      );
      expect((await stores[1].accounts.find(account.id))?.dunning).to.have.length(10);
    }
  });

  it('stores an event of an unknown customer, and lists it once the account is linked', async () => {
    const [one, other] = await pair();
    const customer = `cus_${randomUUID()}`;
    const [later, sooner] = [
      receivedEvent(customer, 'active', { at: plus(NOON, MINUTE) }),
      receivedEvent(customer),
    ];
    expect((await one.inbox.receive(later, NOON, apply)).state).to.equal('waiting');
    expect((await other.inbox.receive(sooner, NOON, apply)).state).to.equal('waiting');
    expect(await one.inbox.linked(customer, 10)).to.deep.equal([]);
    const account = accepted(await one.accounts.open(anOpening('pro', { processorCustomerId: customer })));
    const waiting = await other.inbox.linked(customer, 10);
    expect(waiting.map(({ id }) => id)).to.deep.equal([sooner.id, later.id]);
    expect((await other.inbox.linked(null, 1_000)).map(({ id }) => id)).to.include.members([
      sooner.id,
      later.id,
    ]);
    expect(await other.inbox.linked(customer, 1)).to.have.length(1);
    for (const event of waiting)
      expect((await one.inbox.replay({ ...event, link: null }, NOON, apply))?.state).to.equal('applied');
    expect(await one.inbox.linked(customer, 10)).to.deep.equal([]);
    expect((await one.inbox.find(sooner.id))?.account).to.equal(account.id);
  });

  const checkout = (account: AccountId, customer: string, refusal: LinkRefusal | null = null) =>
    receivedEvent(customer, 'active', {
      type: 'checkout.session.completed',
      link: { account, refusal },
      fact: null,
    });
  const customerNow = async ({ accounts }: InboxAndAccounts, id: AccountId) =>
    (await accounts.find(id))?.processorCustomerId;

  it('links the account that a checkout names to its customer, once; later ones of that customer change nothing (D42)', async () => {
    const [one, other] = await pair();
    const [mine, customer] = [accepted(await one.accounts.open(anOpening())), `cus_${randomUUID()}`];
    const first = checkout(mine.id, customer);
    expect((await one.inbox.receive(first, NOON, apply)).state).to.equal('applied');
    expect(await customerNow(one, mine.id)).to.equal(customer);
    expect(await other.inbox.find(first.id)).to.include({ linksTo: mine.id, account: mine.id });
    const another = accepted(await one.accounts.open(anOpening()));
    const refusals = [null, 'account_id', 'not_signed', 'expired'] as const;
    for (const later of refusals.map((refusal) => checkout(another.id, customer, refusal))) {
      expect((await other.inbox.receive(later, NOON, apply)).state).to.equal('applied');
      expect(await one.inbox.find(later.id)).to.include({ fault: null, account: mine.id });
    }
    expect(await customerNow(one, another.id)).to.equal(null);
    expect(await one.accounts.auditOf(mine.id)).to.have.length(2);
  });

  it('stores a checkout as failed if its account has another customer already (D42)', async () => {
    const one = await instance();
    const [account] = await customerOf(one);
    const event = checkout(account.id, `cus_${randomUUID()}`);
    expect((await one.inbox.receive(event, NOON, apply)).state).to.equal('failed');
    expect((await one.inbox.find(event.id))?.fault).to.equal('refused: account_linked');
    expect(await customerNow(one, account.id)).to.equal(account.processorCustomerId);
  });

  it('stores a checkout as failed if its reference is refused and its customer is not linked, and links nothing', async () => {
    const [one, other] = await pair();
    const mine = accepted(await one.accounts.open(anOpening()));
    for (const [refusal, title] of [
      ['account_id', 'by its account ID'],
      ['not_signed', 'not signed'],
      ['expired', 'had expired'],
    ] as const) {
      const event = checkout(mine.id, `cus_${randomUUID()}`, refusal);
      expect((await one.inbox.receive(event, NOON, apply)).state).to.equal('failed');
      const stored = await other.inbox.find(event.id);
      expect(stored?.fault).to.include(mine.id).and.include(title);
      expect(stored).to.include({ linksTo: null, account: null });
    }
    expect(await one.accounts.find(mine.id)).to.deep.equal(mine);
  });

  it('lets a checkout of an unknown account wait until its customer is linked', async () => {
    const [one, other] = await pair();
    const customer = `cus_${randomUUID()}`;
    const event = checkout('acc_nobody' as AccountId, customer);
    expect((await one.inbox.receive(event, NOON, apply)).state).to.equal('waiting');
    expect(await other.inbox.linked(customer, 10)).to.deep.equal([]);
    const account = accepted(await one.accounts.open(anOpening('pro', { processorCustomerId: customer })));
    expect((await other.inbox.linked(customer, 10)).map(({ id }) => id)).to.deep.equal([event.id]);
    expect((await other.inbox.replay(event, NOON, apply))?.state).to.equal('applied');
    expect(await one.inbox.find(event.id)).to.include({ account: account.id });
    expect(await one.inbox.linked(customer, 10)).to.deep.equal([]);
  });

  it('links one account if two concurrent checkouts of one customer name two; both events are applied (D42)', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const customer = `cus_${randomUUID()}`;
      const [a, b] = [
        accepted(await stores[0].accounts.open(anOpening())),
        accepted(await stores[1].accounts.open(anOpening())),
      ];
      const receipts = await Promise.all([
        stores[0].inbox.receive(checkout(a.id, customer), NOON, apply),
        stores[1].inbox.receive(checkout(b.id, customer), NOON, apply),
      ]);
      expect(receipts.map(({ state }) => state)).to.deep.equal(['applied', 'applied']);
      const linked = [await customerNow(stores[0], a.id), await customerNow(stores[1], b.id)];
      expect(linked.filter((one) => one === customer)).to.have.length(1);
      expect(linked.filter((one) => one === null)).to.have.length(1);
    }
  });

  it('stores events that are not used, could not be read, are refused or fail, and changes nothing', async () => {
    const [one, other] = await pair();
    const [account, customer] = await customerOf(one);
    const before = await one.accounts.find(account.id);
    const nothing = receivedEvent(customer, 'active', { fact: null });
    const unreadable = receivedEvent(customer, 'active', { fact: null, fault: 'data is not an object' });
    const refused = receivedEvent(customer);
    const failing = receivedEvent(customer);
    const broken: ApplyEvent = () => {
      throw new Error('a bug');
    };
    expect((await one.inbox.receive(nothing, NOON, apply)).state).to.equal('ignored');
    expect((await one.inbox.receive(unreadable, NOON, apply)).state).to.equal('failed');
    expect((await one.inbox.receive(refused, NOON, () => refuse('account_exists'))).state).to.equal('failed');
    expect((await one.inbox.receive(failing, NOON, broken)).state).to.equal('failed');
    expect((await other.inbox.find(failing.id))?.fault).to.equal('Error: a bug');
    expect((await other.inbox.find(unreadable.id))?.fault).to.equal('data is not an object');
    expect(await other.accounts.find(account.id)).to.deep.equal(before);
    const failed = await other.inbox.list({ state: 'failed' }, 1_000);
    expect(failed.map(({ id }) => id)).to.include.members([unreadable.id, refused.id, failing.id]);
  });

  it('lists the ignored events that have a reason without the many others', async () => {
    const one = await instance();
    const dispute = { ...receivedEvent(null), fact: null, notUsed: 'a dispute was lost' };
    const nothing = { ...receivedEvent(null), fact: null };
    for (const event of [dispute, nothing]) await one.inbox.receive(event, NOON, apply);
    const listed = await one.inbox.list({ state: 'ignored', hasReason: true }, 1_000);
    expect(listed.find(({ id }) => id === dispute.id)?.fault).to.equal('a dispute was lost');
    expect(listed.map(({ id }) => id)).not.to.include(nothing.id);
  });

  it('applies a failed event when it is replayed, and never blocks those behind it', async () => {
    const one = await instance();
    const [account, customer] = await customerOf(one);
    const [failing, behind] = [
      receivedEvent(customer, 'unpaid'),
      receivedEvent(customer, 'paused', { at: plus(NOON, -MINUTE) }),
    ];
    await one.inbox.receive(failing, NOON, () => {
      throw new Error('a bug');
    });
    expect((await one.inbox.receive(behind, NOON, apply)).state).to.equal('applied');
    expect(await stateNow(one, account.id)).to.equal('paused');
    expect((await one.inbox.replay(failing, NOON, apply))?.state).to.equal('applied');
    expect(await stateNow(one, account.id)).to.equal('unpaid');
    expect(await one.inbox.find(failing.id)).to.include({ state: 'applied', fault: null });
    const replayed = await one.inbox.replay(failing, NOON, apply);
    expect(replayed?.state).to.equal('applied');
    expect((await one.accounts.auditOf(account.id)).map(({ event }) => event)).to.deep.equal([
      'opened',
      'subscription_changed',
      'subscription_changed',
    ]);
    expect(await one.inbox.replay(receivedEvent(customer), NOON, apply)).to.equal(null);
  });

  it('lists the events of an account, the last received first', async () => {
    const one = await instance();
    const [account, customer] = await customerOf(one);
    const [first, second] = [receivedEvent(customer), receivedEvent(customer)];
    await one.inbox.receive(first, NOON, apply);
    await one.inbox.receive(second, plus(NOON, MINUTE), apply);
    const listed = await one.inbox.list({ account: account.id }, 10);
    expect(listed.map(({ id }) => id)).to.deep.equal([second.id, first.id]);
    expect(await one.inbox.list({ account: account.id }, 1)).to.have.length(1);
    expect(await one.inbox.list({ account: account.id, state: 'failed' }, 10)).to.deep.equal([]);
  });

  it('finds events that wait or failed by their customer, and by an id in their payload', async () => {
    const [one, other] = await pair();
    const [session, customer] = [`cs_${randomUUID()}`, `cus_${randomUUID()}`];
    const payload = Buffer.from(JSON.stringify({ object: { id: session }, note: `not ${customer}` }));
    const waiting = receivedEvent(customer, 'active', { payload });
    const failed = receivedEvent(null, 'active', { fault: 'unreadable', payload });
    const ignored = { ...receivedEvent(null, 'active', { payload }), fact: null };
    await one.inbox.receive(waiting, NOON, apply);
    await one.inbox.receive(failed, plus(NOON, MINUTE), apply);
    await one.inbox.receive(ignored, NOON, apply);
    const found = async (id: string, count = 9) =>
      (await other.inbox.naming(id, count)).map((event) => event.id);
    expect(await found(session)).to.deep.equal([failed.id, waiting.id]);
    expect(await found(session, 1)).to.deep.equal([failed.id]);
    expect(await found(customer)).to.deep.equal([waiting.id]);
    expect(await found(session.slice(0, -1))).to.deep.equal([]);
  });
});
