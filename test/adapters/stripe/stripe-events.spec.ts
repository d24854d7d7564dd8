import { expect } from 'chai';
import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import type { PaymentFact } from '../../../src/domain/billing/payment-event.js';
import { moment } from '../../support/objects/builders.js';
import { accountId, aReference, signer } from '../../support/objects/checkout-references.js';
import {
  NOON_SECONDS,
  type StripeEvent,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from '../../support/objects/stripe-objects.js';

const read = readStripeEvent({ prices: {}, planOfProduct: async () => null }, signer.isSigned);
const reading = (event: StripeEvent | string) =>
  read(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)));
const fact = async (type: string, object: object) => (await reading(stripeEvent(type, object))).fact;
/** D29. */
describe('A Stripe event', () => {
  it('of a subscription has its start, status, plan and terms', async () => {
    const subscription = stripeSubscription({ id: 'sub_1', status: 'trialing', trialEnd: NOON_SECONDS + 60 });
    const event = await reading(
      stripeEvent('customer.subscription.created', subscription, NOON_SECONDS + 5, 'evt_1'),
    );
    const { payload, ...rest } = event;
    expect(payload.length).to.be.greaterThan(100);
    expect(rest).to.deep.equal({
      id: 'evt_1',
      type: 'customer.subscription.created',
      at: moment('2026-03-01T12:00:05Z'),
      customer: 'cus_1',
      link: null,
      fault: null,
      fact: {
        kind: 'subscription',
        subscription: 'sub_1',
        startedAt: moment('2026-03-01T12:00:00Z'),
        status: 'trialing',
        plan: 'pro',
        terms: {
          trialEndsAt: moment('2026-03-01T12:01:00Z'),
          periodEndsAt: moment('2026-03-31T12:00:00Z'),
        },
        reports: 'creation',
      },
    });
  });

  it('says what it tells about its place among events of the same second', async () => {
    const object = stripeSubscription({ status: 'active', lookupKey: 'pro' });
    const orderOf = async (type: string, previous?: object) => {
      const sent = stripeEvent(`customer.subscription.${type}`, object);
      const data = { object, ...(previous !== undefined && { previous_attributes: previous }) };
      const found = (await reading({ ...sent, data } as StripeEvent)).fact;
      return found?.kind === 'subscription'
        ? { reports: found.reports, previously: found.previously }
        : found;
    };
    const items = { data: [{ price: { id: 'price_0', lookup_key: 'builder_monthly' } }] };
    const none = { reports: undefined, previously: undefined };
    expect(await orderOf('created')).to.deep.equal({ ...none, reports: 'creation' });
    expect(await orderOf('trial_will_end')).to.deep.equal({ ...none, reports: 'terms' });
    for (const unknown of [undefined, {}, { status: 7, items: 'x' }, { status: 'new', metadata: {} }, 'text'])
      expect(await orderOf('updated', unknown as object)).to.deep.equal(none);
    const previously = { status: 'incomplete', plan: 'builder' };
    expect(await orderOf('updated', { status: 'incomplete', items })).to.deep.equal({ ...none, previously });
  });

  it('of a subscription has the same fact for every type, except that a deleted one is canceled', async () => {
    for (const what of ['created', 'updated', 'paused', 'resumed', 'trial_will_end']) {
      const facts = await fact(`customer.subscription.${what}`, stripeSubscription({ status: 'paused' }));
      expect(facts?.kind === 'subscription' && facts.status, what).to.equal('paused');
    }
    const deleted = await fact('customer.subscription.deleted', stripeSubscription({ status: 'active' }));
    expect(deleted?.kind === 'subscription' && deleted.status).to.equal('canceled');
  });

  it('has the end of the period on the subscription, as in older API versions, or on its item', async () => {
    const items = { data: [{ price: { id: 'price_1', lookup_key: 'pro' } }] };
    const old = stripeSubscription({ more: { items, current_period_end: NOON_SECONDS + 60 } });
    const facts = await fact('customer.subscription.updated', old);
    expect(facts?.kind === 'subscription' && facts.terms.periodEndsAt).to.equal(
      moment('2026-03-01T12:01:00Z'),
    );
  });

  it('of a failed attempt has the subscription on the invoice or on its parent', async () => {
    for (const isOld of [true, false]) {
      const invoice = stripeInvoice({
        id: 'in_1',
        subscription: 'sub_1',
        attempts: 3,
        nextAttempt: NOON_SECONDS,
        isOld,
      });
      const expected: PaymentFact = {
        kind: 'payment_failed',
        invoice: 'in_1',
        subscription: 'sub_1',
        attempts: 3,
        nextAttemptAt: moment('2026-03-01T12:00:00Z'),
        isFirstInvoice: false,
      };
      expect(await fact('invoice.payment_failed', invoice)).to.deep.equal(expected);
    }
    const first = stripeInvoice({ subscription: 'sub_1', reason: 'subscription_create' });
    expect(await fact('invoice.payment_failed', first)).to.include({ isFirstInvoice: true, attempts: 1 });
  });

  it('of a settled invoice has the kind of settlement', async () => {
    const settlement = async (what: string) => {
      const facts = await fact(`invoice.${what}`, stripeInvoice({ subscription: 'sub_1' }));
      return facts?.kind === 'invoice_settled' && facts.settlement;
    };
    expect(await settlement('paid')).to.equal('paid');
    expect(await settlement('payment_succeeded')).to.equal('paid');
    expect(await settlement('voided')).to.equal('voided');
    expect(await settlement('marked_uncollectible')).to.equal('uncollectible');
  });

  it('has no fact if the invoice belongs to no subscription, or the type is not handled', async () => {
    expect(await fact('invoice.payment_failed', stripeInvoice())).to.equal(null);
    const other = await reading(stripeEvent('charge.refunded', { id: 'ch_1', customer: 'cus_1' }));
    expect([other.fact, other.fault]).to.deep.equal([null, null]);
  });

  it('has the customer also if the type is not handled, unless it cannot be read', async () => {
    const customerIn = async (object: object) => {
      const { customer, fault } = await reading(stripeEvent('a.type', object));
      expect(fault).to.equal(null);
      return customer;
    };
    expect(await customerIn({ id: 'ch_1', customer: 'cus_1' })).to.equal('cus_1');
    expect(await customerIn({ id: 'cus_2', object: 'customer' })).to.equal('cus_2');
    for (const customer of [null, 7, 'a\nb', {}])
      expect(await customerIn({ id: 'ch_1', customer })).to.equal(null);
  });

  describe('of a completed checkout', () => {
    const id = accountId(1);
    const reference = aReference(id);
    const checkout = async (session: object, eventSeconds = NOON_SECONDS) => {
      const object = { id: 'cs_1', customer: 'cus_1', created: NOON_SECONDS, ...session };
      const {
        customer,
        link,
        fact: facts,
        fault,
      } = await reading(stripeEvent('checkout.session.completed', object, eventSeconds));
      expect([facts, fault]).to.deep.equal([null, null]);
      return { customer, link };
    };

    it('names the account to link to its customer', async () => {
      expect(await checkout({ client_reference_id: reference })).to.deep.equal({
        customer: 'cus_1',
        link: { account: id, refusal: null },
      });
    });

    it('has a reference that expires by the time when the session was opened, not by that of the event', async () => {
      const week = 7 * 86_400;
      const opened = async (created: number, eventSeconds: number) =>
        (await checkout({ client_reference_id: reference, created }, eventSeconds)).link?.refusal;
      expect(await opened(NOON_SECONDS + week - 1, NOON_SECONDS + 9 * week)).to.equal(null);
      expect(await opened(NOON_SECONDS + week, NOON_SECONDS + week)).to.equal('expired');
    });

    it('names no account with another reference, without a reference, or without a customer', async () => {
      for (const other of ['order-4711', 'a b', 'Ö', 'x'.repeat(300), null, undefined, 7]) {
        expect((await checkout({ client_reference_id: other })).link, String(other)).to.equal(null);
      }
      const nobody = await checkout({ client_reference_id: reference, customer: null });
      expect(nobody).to.deep.equal({ customer: null, link: null });
    });

    it('has a fault if a reference of this service comes without the time of the session', async () => {
      const session = { id: 'cs_1', customer: 'cus_1', client_reference_id: reference };
      const { fault } = await reading(stripeEvent('checkout.session.completed', session));
      expect(fault).to.equal('data.object.created is not a whole number');
    });
  });

  it('may contain whole objects instead of ids', async () => {
    const invoice = stripeInvoice({ more: { customer: { id: 'cus_9' }, subscription: { id: 'sub_9' } } });
    const event = await reading(stripeEvent('invoice.paid', invoice));
    expect([event.customer, event.fact]).to.deep.equal([
      'cus_9',
      { kind: 'invoice_settled', invoice: invoice.id, subscription: 'sub_9', settlement: 'paid' },
    ]);
  });

  it('has no fact if its type is an inherited property name of objects', async () => {
    for (const type of Object.getOwnPropertyNames(Object.prototype)) {
      const event = await reading(stripeEvent(type, stripeSubscription()));
      expect([event.type, event.fact, event.fault]).to.deep.equal([type, null, null]);
    }
  });

  describe('that cannot be parsed is kept with the reason', () => {
    it('under its own id if it has one', async () => {
      const event = stripeEvent(
        'invoice.payment_failed',
        stripeInvoice({ subscription: 'sub_1' }),
        NOON_SECONDS,
        'evt_7',
      );
      const broken = JSON.stringify(event).replace('"attempt_count":1', '"attempt_count":"one"');
      const { id, type, customer, fact: none, fault } = await reading(broken);
      expect([id, type, customer, none]).to.deep.equal(['evt_7', 'invoice.payment_failed', 'cus_1', null]);
      expect(fault).to.equal('data.object.attempt_count is not a whole number');
    });

    it('under a hash of its content if it has no id, so that a repetition has the same id', async () => {
      for (const body of ['not json', '[]', '"text"', '{}', '{"id":7}', '{"id":"a\\u0000b"}', '']) {
        const [one, other] = [await reading(body), await reading(body)];
        expect(one.fault, body).to.be.a('string');
        expect(one.id, body).to.match(/^unreadable_[0-9a-f]{32}$/);
        expect(other.id).to.equal(one.id);
      }
    });

    it('if a status is unknown or an object is missing', async () => {
      const status = await reading(
        stripeEvent('customer.subscription.updated', stripeSubscription({ status: 'dormant' })),
      );
      expect(status.fault).to.equal('the subscription status dormant is unknown');
      const parts = await reading(
        stripeEvent('customer.subscription.updated', { id: 'sub_1', customer: 'cus_1', status: 'active' }),
      );
      expect(parts.fault).to.equal('data.object.created is not a whole number');
      const year = stripeEvent('customer.subscription.updated', stripeSubscription({ created: 1e15 }));
      expect((await reading(year)).fault).to.equal('data.object.created is not a time in seconds since 1970');
      const nothing = await reading('{"id":"evt_1","type":"invoice.paid","created":1}');
      expect(nothing.fault).to.equal('data is not an object');
    });
  });
});
