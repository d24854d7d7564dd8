import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { applyPaymentEvent } from '../../src/application/apply-payment-event.js';
import type { ApplyEvent, ReceivedEvent } from '../../src/application/ports/payment-inbox.js';
import type { Account, AccountId } from '../../src/domain/account.js';
import type { BillingRules } from '../../src/domain/account-payments.js';
import { DUNNING } from '../../src/domain/dunning.js';
import { MINUTE, plus } from '../../src/domain/moment.js';
import type { ProcessorStatus } from '../../src/domain/payment-event.js';
import { refuse } from '../../src/domain/refusal.js';
import { anOpening } from '../support/accounts.js';
import { accepted, NOON } from '../support/builders.js';
import { contracts, eachAdapter, type InboxAndAccounts } from './adapters.js';

/** So that connections are warm, and attempts truly overlap. */
const ROUNDS = 10;

const RULES: BillingRules = { schedule: DUNNING, pastDue: 'serve', unasked: 'no processor' };
const apply: ApplyEvent = applyPaymentEvent(RULES, plus(NOON, MINUTE));

const told = (
  customer: string | null,
  status: ProcessorStatus = 'paused',
  more: Partial<ReceivedEvent> = {},
) => ({
  id: `evt_${randomUUID()}`,
  type: 'customer.subscription.updated',
  at: NOON,
  customer,
  linksTo: null,
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

eachAdapter('PaymentInbox', contracts.paymentInbox, (instance) => {
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
    const event = told(customer);
    const receipt = await one.inbox.receive(event, NOON, apply);
    expect([receipt.state, receipt.account?.subscription.state]).to.deep.equal(['applied', 'paused']);
    expect(await stateNow(other, account.id)).to.equal('paused');
    expect(await other.inbox.find(event.id)).to.deep.equal({
      ...event,
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

  it('applies an event once, also when it comes ten times at once (D29)', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const [account, customer] = await customerOf(stores[0]);
      const event = told(customer);
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

  it('applies ten events of one customer that come at once, each on what the others made (D29)', async () => {
    const stores = await pair();
    const failed = (customer: string, attempts: number) =>
      told(customer, 'active', {
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
      await stores[0].inbox.receive(told(customer, 'past_due'), NOON, apply);
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          stores[(i % 2) as 0 | 1].inbox.receive(failed(customer, i), NOON, apply),
        ),
      );
      expect((await stores[1].accounts.find(account.id))?.dunning).to.have.length(10);
    }
  });

  it('keeps an event of a customer that nobody knows, and gives it out once the account is there', async () => {
    const [one, other] = await pair();
    const customer = `cus_${randomUUID()}`;
    const [later, sooner] = [told(customer, 'active', { at: plus(NOON, MINUTE) }), told(customer)];
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
    for (const event of waiting) expect((await one.inbox.replay(event, apply))?.state).to.equal('applied');
    expect(await one.inbox.linked(customer, 10)).to.deep.equal([]);
    expect((await one.inbox.find(sooner.id))?.account).to.equal(account.id);
  });

  it('links the account that an event names to its customer, unless another is that customer (D42)', async () => {
    const one = await instance();
    const [mine, customer] = [accepted(await one.accounts.open(anOpening())), `cus_${randomUUID()}`];
    const linking = (account: AccountId, to: string) =>
      told(to, 'active', { type: 'checkout.session.completed', linksTo: account, fact: null });
    expect((await one.inbox.receive(linking(mine.id, customer), NOON, apply)).state).to.equal('applied');
    expect((await one.accounts.find(mine.id))?.processorCustomerId).to.equal(customer);
    const another = accepted(await one.accounts.open(anOpening()));
    const taken = linking(another.id, customer);
    expect((await one.inbox.receive(taken, NOON, apply)).state).to.equal('failed');
    expect((await one.inbox.find(taken.id))?.fault).to.equal('refused: account_exists');
    const second = linking(mine.id, `cus_${randomUUID()}`);
    expect((await one.inbox.receive(second, NOON, apply)).state).to.equal('failed');
    expect((await one.accounts.find(another.id))?.processorCustomerId).to.equal(null);
    const nobody = linking('acc_nobody' as AccountId, customer);
    expect((await one.inbox.receive(nobody, NOON, apply)).state).to.equal('waiting');
    // Its customer has an account, and it is about another: to give it out would be to try it for ever.
    expect(await one.inbox.linked(customer, 10)).to.deep.equal([]);
    expect((await one.inbox.linked(null, 1_000)).map(({ id }) => id)).not.to.include(nobody.id);
  });

  it('keeps what is nothing to us, what could not be read, and what is refused or fails: then nothing changes', async () => {
    const [one, other] = await pair();
    const [account, customer] = await customerOf(one);
    const before = await one.accounts.find(account.id);
    const nothing = told(customer, 'active', { fact: null });
    const unreadable = told(customer, 'active', { fact: null, fault: 'data is not an object' });
    const refused = told(customer);
    const failing = told(customer);
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

  it('applies a failed event when it is replayed, and never blocks those behind it', async () => {
    const one = await instance();
    const [account, customer] = await customerOf(one);
    const [failing, behind] = [
      told(customer, 'unpaid'),
      told(customer, 'paused', { at: plus(NOON, -MINUTE) }),
    ];
    await one.inbox.receive(failing, NOON, () => {
      throw new Error('a bug');
    });
    expect((await one.inbox.receive(behind, NOON, apply)).state).to.equal('applied');
    expect(await stateNow(one, account.id)).to.equal('paused');
    expect((await one.inbox.replay(failing, apply))?.state).to.equal('applied');
    expect(await stateNow(one, account.id)).to.equal('unpaid');
    expect(await one.inbox.find(failing.id)).to.include({ state: 'applied', fault: null });
    const replayed = await one.inbox.replay(failing, apply);
    expect(replayed?.state).to.equal('applied');
    expect((await one.accounts.auditOf(account.id)).map(({ event }) => event)).to.deep.equal([
      'opened',
      'subscription_changed',
      'subscription_changed',
    ]);
    expect(await one.inbox.replay(told(customer), apply)).to.equal(null);
  });

  it('lists the events of an account, the latest received first', async () => {
    const one = await instance();
    const [account, customer] = await customerOf(one);
    const [first, second] = [told(customer), told(customer)];
    await one.inbox.receive(first, NOON, apply);
    await one.inbox.receive(second, plus(NOON, MINUTE), apply);
    const listed = await one.inbox.list({ account: account.id }, 10);
    expect(listed.map(({ id }) => id)).to.deep.equal([second.id, first.id]);
    expect(await one.inbox.list({ account: account.id }, 1)).to.have.length(1);
    expect(await one.inbox.list({ account: account.id, state: 'failed' }, 10)).to.deep.equal([]);
  });
});
