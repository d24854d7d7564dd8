import { expect } from 'chai';
import fc from 'fast-check';
import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import { LinkCheckout } from '../../../src/application/billing/link-checkout.js';
import { linkCustomer as linkingCustomer } from '../../../src/application/billing/link-customer.js';
import { makeCheckoutReference } from '../../../src/application/billing/make-checkout-reference.js';
import { replayEvent as replayingEvent } from '../../../src/application/billing/replay-event.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { type AccountId, openAccount } from '../../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { DAY, epochSeconds, HOUR, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON, runs } from '../../support/objects/builders.js';
import { accountId, aReference, signer, tampered } from '../../support/objects/checkout-references.js';
import {
  NOON_SECONDS,
  type StripeEvent,
  stripeEvent,
  stripeSubscription,
} from '../../support/objects/stripe-objects.js';
import { accountsInMemory, type InMemory } from '../../support/service/accounts.js';

const WEEK = 7 * 86_400;
const readPaymentEvent = readStripeEvent({ prices: {}, planOfProduct: async () => null }, signer.isSigned);
const reading = (event: StripeEvent) => readPaymentEvent(Buffer.from(JSON.stringify(event)));

const checkout = (customer: string, reference: string, opened = NOON_SECONDS, id?: string) => {
  const session = { id: 'cs_1', customer, created: opened, client_reference_id: reference };
  return stripeEvent('checkout.session.completed', session, opened, id);
};
const subscription = (customer: string, status: string, seconds: number, id: string) => {
  const object = stripeSubscription({ id: `sub_${customer}`, customer, status });
  const type = status === 'canceled' ? 'deleted' : 'updated';
  return stripeEvent(`customer.subscription.${type}`, object, seconds, id);
};

describe('A checkout', () => {
  let service: InMemory;
  let replayEvent: ReturnType<typeof replayingEvent>;
  beforeEach(() => {
    service = accountsInMemory();
    replayEvent = replayingEvent({ ...service, readPaymentEvent, clock: () => service.clock.at });
  });

  const opened = async (email = 'ann@example.org') => {
    const identity = { email, plan: 'free' as const, processorCustomerId: null };
    const { id } = accepted(await service.openAccount(identity, 'operator'));
    accepted(await service.issueKey(id, null, 'operator'));
    return id;
  };
  const receive = async (event: StripeEvent) =>
    (await service.paymentEvents.receive(await reading(event))).state;
  const customerOf = async (id: AccountId) => (await service.accounts.find(id))?.processorCustomerId;

  it('has the same result in any order of its events, with repetitions and replays', async () => {
    const deliveries = fc.shuffledSubarray(
      Array.from({ length: 18 }, (_, i) => i),
      { minLength: 18 },
    );
    await fc.assert(
      fc.asyncProperty(deliveries, fc.boolean(), async (order, isReplayed) => {
        service = accountsInMemory();
        replayEvent = replayingEvent({ ...service, readPaymentEvent, clock: () => service.clock.at });
        const victim = await opened();
        const reference = aReference(victim);
        const events = [
          checkout('cus_own', reference, NOON_SECONDS + 60, 'evt_1'),
          checkout('cus_own', reference, NOON_SECONDS + 90, 'evt_2'),
          subscription('cus_own', 'active', NOON_SECONDS + 60, 'evt_3'),
          subscription('cus_own', 'paused', NOON_SECONDS + 120, 'evt_4'),
          checkout('cus_stranger', victim, NOON_SECONDS, 'evt_5'),
          subscription('cus_stranger', 'active', NOON_SECONDS, 'evt_6'),
          subscription('cus_stranger', 'canceled', NOON_SECONDS + 300, 'evt_7'),
          checkout('cus_late', reference, NOON_SECONDS + WEEK, 'evt_8'),
          checkout('cus_forger', tampered(reference), NOON_SECONDS, 'evt_9'),
        ];
        service.clock.at = plus(NOON, 30 * DAY);
        for (const i of order) await receive(events[i % events.length] as StripeEvent);
        if (isReplayed) for (const { id } of events) await replayEvent(id, null, 'operator');
        const account = await service.accounts.find(victim);
        const { state } = account?.subscription ?? {};
        expect([account?.processorCustomerId, state]).to.deep.equal(['cus_own', 'paused']);
        expect(account?.keys.map((key) => key.state.status)).to.deep.equal(['active']);
        const states = await Promise.all(events.map(async ({ id }) => (await service.inbox.find(id))?.state));
        expect(states.slice(0, 4)).to.deep.equal(Array.from({ length: 4 }, () => 'applied'));
        expect(states.slice(4)).to.deep.equal(['failed', 'waiting', 'waiting', 'failed', 'failed']);
      }),
      runs(100),
    );
  });

  it('that was opened within 7 days links even if its event arrives a month later', async () => {
    const id = await opened();
    service.clock.at = plus(NOON, 37 * DAY);
    expect(await receive(checkout('cus_1', aReference(id), NOON_SECONDS + WEEK - 1))).to.equal('applied');
    expect(await customerOf(id)).to.equal('cus_1');
  });

  describe('that was stored by the version that accepted plain ids', () => {
    const stored = async (account: AccountId, fails = false) => {
      const event = await reading(checkout('cus_before', account));
      const accepting = { ...event, link: { account, refusal: null } };
      const { state } = await service.inbox.receive(accepting, NOON, (found) => {
        if (fails) throw new Error('a bug of an earlier version');
        return { next: { ...found, processorCustomerId: 'cus_before' }, entries: [] };
      });
      return { id: event.id, state };
    };

    it('stays applied when it is replayed', async () => {
      const account = await opened();
      const { id, state } = await stored(account);
      expect(state).to.equal('applied');
      expect(await replayEvent(id, null, 'operator')).to.include({ state: 'applied', linksTo: account });
      expect(await customerOf(account)).to.equal('cus_before');
    });

    it('links its account when it is replayed', async () => {
      const account = accountId(77);
      const { id, state } = await stored(account);
      expect(state).to.equal('waiting');
      const email = 'b@example.org' as EmailAddress;
      const identity = { email, plan: 'free' as const, processorCustomerId: null };
      const opening = openAccount(
        { ...identity, id: account, subscriptionId: 'sub' as SubscriptionId },
        auditContext(),
      );
      accepted(await service.accounts.open(opening));
      expect(await replayEvent(id, null, 'operator')).to.include({ state: 'applied', account });
      expect(await customerOf(account)).to.equal('cus_before');
    });

    it('is read by the current rules if it had failed: a plain id links nothing', async () => {
      const account = await opened();
      const { id, state } = await stored(account, true);
      expect(state).to.equal('failed');
      const replayed = await replayEvent(id, null, 'operator');
      expect(replayed).to.include({ state: 'failed', linksTo: null });
      expect(await customerOf(account)).to.equal(null);
    });
  });

  it('that was linked stays linked when it is replayed without the old secret', async () => {
    const account = await opened();
    const event = checkout('cus_1', aReference(account));
    expect(await receive(event)).to.equal('applied');
    const unsigned = readStripeEvent({ prices: {}, planOfProduct: async () => null }, () => false);
    const replay = replayingEvent({ ...service, readPaymentEvent: unsigned, clock: () => service.clock.at });
    expect(await replay(event.id, null, 'operator')).to.include({ state: 'applied', linksTo: account });
  });

  describe('whose reference was refused', () => {
    const linking = () => {
      const clock = () => service.clock.at;
      const linkCustomer = linkingCustomer({ ...service, clock });
      return new LinkCheckout({ ...service, readPaymentEvent, linkCustomer, replayEvent });
    };
    const storedEvent = async (id: string) => {
      const event = await service.inbox.find(id);
      if (event === null) throw new Error(`no event ${id}`);
      return event;
    };

    it('is linked by an operator with a reason, and the events that waited are applied', async () => {
      const account = await opened();
      const event = checkout('cus_1', account);
      await receive(subscription('cus_1', 'paused', NOON_SECONDS, 'evt_waits'));
      expect(await receive(event)).to.equal('failed');
      const linkCheckout = linking();
      const stored = await storedEvent(event.id);
      expect(await linkCheckout.offer(stored)).to.deep.include({ customer: 'cus_1' });
      expect(await linkCheckout.link(stored, 'they called' as Reason, 'operator ann')).to.include({
        state: 'applied',
        account,
      });
      expect((await storedEvent('evt_waits')).state).to.equal('applied');
      const linked = (await service.accounts.auditOf(account)).find((entry) => entry.event === 'linked');
      expect(linked).to.include({ actor: 'operator ann', reason: 'cus_1: they called' });
      expect(await linkCheckout.offer(await storedEvent(event.id))).to.equal(null);
    });

    it('is not offered without an account, for an account of another customer, or for another kind of event', async () => {
      const account = await opened();
      const linkCheckout = linking();
      const nobody = checkout('cus_1', accountId(9));
      await receive(nobody);
      expect(await linkCheckout.offer(await storedEvent(nobody.id))).to.equal(null);
      const refused = checkout('cus_2', account);
      await receive(refused);
      await receive(checkout('cus_3', aReference(account)));
      expect(await linkCheckout.offer(await storedEvent(refused.id))).to.equal(null);
      const answer = await linkCheckout.link(await storedEvent(refused.id), 'x' as Reason, 'operator');
      expect(answer).to.include({ refused: 'not_found' });
      expect(await customerOf(account)).to.equal('cus_3');
      await receive(subscription('cus_9', 'active', NOON_SECONDS, 'evt_other'));
      expect(await linkCheckout.offer(await storedEvent('evt_other'))).to.equal(null);
    });
  });

  it('is not found in another failed event, also while the processor is unavailable', async () => {
    const event = subscription('cus_1', 'active', NOON_SECONDS, 'evt_failed');
    const failed = { ...(await reading(event)), fault: 'a bug of before' };
    expect((await service.paymentEvents.receive(failed)).state).to.equal('failed');
    const stored = (await service.inbox.find(event.id)) ?? expect.fail('not stored');
    const clock = () => service.clock.at;
    const linkCustomer = linkingCustomer({ ...service, clock });
    const unread = (fault: Error) =>
      new LinkCheckout({
        ...service,
        linkCustomer,
        replayEvent,
        readPaymentEvent: () => Promise.reject(fault),
      });
    expect(await unread(new Unavailable('the payment processor')).offer(stored)).to.equal(null);
    const bug = await unread(new Error('a bug')).offer(stored).catch(String);
    expect(bug).to.equal('Error: a bug');
  });

  describe('reference', () => {
    const making = (isConfigured = true) =>
      makeCheckoutReference({
        accounts: service.accounts,
        clock: () => service.clock.at,
        referenceSigner: isConfigured ? signer : null,
      });

    it('contains its account and the time of its issue', async () => {
      const id = await opened();
      service.clock.at = plus(NOON, HOUR);
      const issued = accepted(await making()(id));
      expect(issued).to.deep.equal({
        reference: aReference(id, service.clock.at),
        expiresAt: plus(NOON, HOUR + 7 * DAY),
      });
      expect(issued.reference).to.include(`ref_${epochSeconds(service.clock.at)}_${id}_`);
    });

    it('is refused without a webhook secret, for an unknown account, and for an account that is a customer already', async () => {
      const id = await opened();
      expect(await making(false)(id)).to.deep.equal({ refused: 'payments_not_configured' });
      expect(await making()(accountId(9))).to.deep.equal({ refused: 'not_found', what: 'account' });
      await receive(checkout('cus_1', aReference(id)));
      expect(await making()(id)).to.deep.equal({ refused: 'account_linked' });
    });
  });
});
