import { expect } from 'chai';
import { tampered } from '../../support/objects/checkout-references.js';
import { stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { account, aKey, problem, type ServiceUnderTest, unique } from '../../support/service/api-calls.js';
import type { Client } from '../../support/service/client.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';

const WEEK = 7 * 86_400;

type EventView = {
  readonly state: string;
  readonly fault: string | null;
  readonly account_id: string | null;
};
type AccountView = {
  readonly processor_customer_id: string | null;
  readonly subscription: { readonly plan: string; readonly state: string };
};
type Reference = { readonly checkout_reference: string; readonly expires_at: string };

/** Has an operator create a checkout reference for an account. */
async function referenceFor(client: Client, accountId: string): Promise<string> {
  const reply = await client.operate('POST', `/internal/v1/accounts/${accountId}/checkout-reference`);
  expect(reply.status).to.equal(201);
  return (reply.json as Reference).checkout_reference;
}

/** Which customer a checkout links to which account (D29, D42). */
export function checkoutsSuite({ client }: ServiceUnderTest): void {
  const viewOf = async (id: string) =>
    (await client().operate('GET', `/internal/v1/accounts/${id}`)).json as AccountView;
  const eventNow = async (id: string) =>
    (await client().operate('GET', `/internal/v1/payment-events/${id}`)).json as EventView;

  /** Delivers a completed checkout of a customer with this reference. Returns the id and state of the event. */
  async function checkout(customer: string, reference: string, openedAt?: number) {
    const now = await seconds(client());
    const session = {
      ...{ id: `cs_${unique()}`, object: 'checkout.session', customer, created: openedAt ?? now },
      client_reference_id: reference,
    };
    const event = stripeEvent('checkout.session.completed', session, now);
    const reply = await client().deliver(event);
    expect(reply.status).to.equal(200);
    return { id: event.id, state: (reply.json as { readonly state: string }).state };
  }

  /** Delivers the status of a customer's only subscription. Returns the state of the event. */
  async function subscription(customer: string, status: string) {
    const now = await seconds(client());
    const object = stripeSubscription({ id: `sub_${customer}`, customer, status, created: now });
    const type = status === 'canceled' ? 'deleted' : 'created';
    const reply = await client().deliver(stripeEvent(`customer.subscription.${type}`, object, now));
    return (reply.json as { readonly state: string }).state;
  }

  describe('a checkout', () => {
    it('that names the account of another user by its plain id links nothing and revokes nothing', async () => {
      const victim = await aKey(client(), 'pro');
      const stranger = `cus_${unique()}`;
      expect(await subscription(stranger, 'active')).to.equal('waiting');
      const { id, state } = await checkout(stranger, victim.account);
      expect(await subscription(stranger, 'canceled')).to.equal('waiting');

      expect((await client().news(victim.key, '?limit=1')).status).to.equal(200);
      expect((await viewOf(victim.account)).processor_customer_id).to.equal(null);
      expect([state, (await eventNow(id)).state]).to.deep.equal(['failed', 'failed']);
      expect((await eventNow(id)).fault)
        .to.include(victim.account)
        .and.include('by its account ID');
      const replayed = await client().operate('POST', `/internal/v1/payment-events/${id}/replay`);
      expect(replayed.json).to.include({ state: 'failed', account_id: null });
      expect((await client().news(victim.key, '?limit=1')).status).to.equal(200);

      // The victim can still link an own customer.
      const own = `cus_${unique()}`;
      const reference = await referenceFor(client(), victim.account);
      expect((await checkout(own, reference)).state).to.equal('applied');
      expect((await viewOf(victim.account)).processor_customer_id).to.equal(own);
    });

    it('with a reference of any instance links its customer, also after other events of the customer', async () => {
      const [id, customer] = [await account(client(), 'free'), `cus_${unique()}`];
      expect(await subscription(customer, 'active')).to.equal('waiting');
      const made = await checkout(customer, await referenceFor(client(), id));
      expect(made.state).to.equal('applied');
      const view = await viewOf(id);
      expect([view.processor_customer_id, view.subscription.plan]).to.deep.equal([customer, 'pro']);
      expect(await eventNow(made.id)).to.include({ state: 'applied', account_id: id });
      const replayed = await client().operate('POST', `/internal/v1/payment-events/${made.id}/replay`);
      expect(replayed.json).to.include({ state: 'applied', account_id: id });
    });

    it('links its customer if it was opened within 7 days after the reference was issued', async () => {
      const [id, early, late] = [await account(client()), `cus_${unique()}`, `cus_${unique()}`];
      const reply = await client().operate('POST', `/internal/v1/accounts/${id}/checkout-reference`);
      const { checkout_reference: reference, expires_at } = reply.json as Reference;
      const expiresAt = Date.parse(expires_at) / 1_000;
      expect(expiresAt - (await seconds(client()))).to.be.within(WEEK - 60, WEEK);
      const expired = await checkout(late, reference, expiresAt);
      expect(expired.state).to.equal('failed');
      expect((await eventNow(expired.id)).fault).to.include('had expired');
      expect((await checkout(early, reference, expiresAt - 1)).state).to.equal('applied');
      expect((await viewOf(id)).processor_customer_id).to.equal(early);
    });

    it('with a tampered reference is stored as failed; with any other text it is ignored', async () => {
      const [mine, victim] = [await account(client()), await account(client())];
      const reference = await referenceFor(client(), mine);
      for (const forged of [reference.replace(mine, victim), tampered(reference)]) {
        const { id, state } = await checkout(`cus_${unique()}`, forged);
        expect(state).to.equal('failed');
        expect((await eventNow(id)).fault).to.include('is not signed');
      }
      for (const other of [
        'order-4711',
        'ref_1',
        `${reference}x`,
        ' ',
        'Rechnung Nr. 7 für Ö',
        mine.slice(4),
      ]) {
        expect([other, (await checkout(`cus_${unique()}`, other)).state]).to.deep.equal([other, 'ignored']);
      }
      for (const id of [mine, victim]) expect((await viewOf(id)).processor_customer_id).to.equal(null);
    });

    it('of a linked customer changes nothing, whatever account it names', async () => {
      const linked = await aCustomer(client());
      const attacker = await account(client());
      const reference = await referenceFor(client(), attacker);
      for (const named of [reference, attacker, linked.account]) {
        const { id, state } = await checkout(linked.customer, named);
        expect(state).to.equal('applied');
        expect(await eventNow(id)).to.include({ fault: null, account_id: linked.account });
      }
      expect((await viewOf(attacker)).processor_customer_id).to.equal(null);
      expect((await viewOf(linked.account)).processor_customer_id).to.equal(linked.customer);
    });

    it('that names an account linked to another customer is stored as failed', async () => {
      const id = await account(client());
      const reference = await referenceFor(client(), id);
      const [first, second] = [`cus_${unique()}`, `cus_${unique()}`];
      expect((await checkout(first, reference)).state).to.equal('applied');
      const again = await checkout(second, reference);
      expect(again.state).to.equal('failed');
      expect((await eventNow(again.id)).fault).to.equal('refused: account_linked');
      expect((await viewOf(id)).processor_customer_id).to.equal(first);
    });
  });

  describe('a checkout reference', () => {
    it('has at most 120 letters, digits, - and _: Stripe drops other characters', async () => {
      const reply = await client().operate(
        'POST',
        `/internal/v1/accounts/${await account(client())}/checkout-reference`,
      );
      expect(reply.status).to.equal(201);
      const { checkout_reference: reference } = reply.json as Reference;
      expect(reply.headers['cache-control']).to.equal('no-store');
      expect(reference).to.match(/^[A-Za-z0-9_-]{1,120}$/);
    });

    it('is created only for an existing account without a customer', async () => {
      const asked = async (id: string) => {
        const reply = await client().operate('POST', `/internal/v1/accounts/${id}/checkout-reference`);
        return [reply.status, problem(reply).code];
      };
      expect(await asked('acc_nobody')).to.deep.equal([404, 'not_found']);
      expect(await asked((await aCustomer(client())).account)).to.deep.equal([409, 'account_linked']);
    });
  });
}
