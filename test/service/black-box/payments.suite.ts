import { expect } from 'chai';
import { stripeInvoice, stripeSubscription } from '../../support/objects/stripe-objects.js';
import {
  actOn,
  advance,
  issue,
  type KeyView,
  keyNow,
  problem,
  type ServiceUnderTest,
  unique,
} from '../../support/service/api-calls.js';
import {
  type AccountView,
  aCustomer,
  deliverEvent,
  seconds,
} from '../../support/service/processor-customer.js';

const DAY = 86_400;

/** Contract section 3.1 and D27: from a payment event to the response of the feed. */
export function paymentsSuite({ client }: ServiceUnderTest): void {
  describe('a subscription at the payment processor', () => {
    it('is served or refused by its state, for all eight states (D27)', async () => {
      const customer = await aCustomer(client());
      const table: readonly (readonly [status: string, answer: readonly unknown[]])[] = [
        ['trialing', [200]],
        ['active', [200]],
        ['past_due', [200]],
        ['incomplete', [402, 'subscription_incomplete', []]],
        ['paused', [402, 'subscription_paused', []]],
        ['unpaid', [402, 'payment_required', []]],
        ['active', [200]],
      ];
      for (const [status, answer] of table) {
        await customer.tells(status);
        expect(await customer.answer(), status).to.deep.equal(answer);
        // Payment events have whole seconds: the next event needs a later one.
        await advance(client(), 1);
      }
      await customer.tells('canceled');
      expect(await customer.answer()).to.deep.equal([401, 'key_revoked', undefined]);
    });

    it('takes nothing from a free account if it is never paid (D27)', async () => {
      const customer = await aCustomer(client(), 'free');
      for (const status of ['incomplete', 'incomplete_expired']) {
        await customer.tells(status, { lookupKey: 'builder_monthly' });
        expect(await customer.answer(), status).to.deep.equal([200]);
        await advance(client(), 1);
      }
      expect((await customer.view()).subscription).to.include({ plan: 'free', state: 'active' });
    });

    it('stays in force beside a second checkout that is abandoned (D27)', async () => {
      const customer = await aCustomer(client());
      await customer.tells('active');
      const second = `sub_${unique()}`;
      for (const status of ['incomplete', 'canceled']) {
        await advance(client(), 1);
        await customer.tells(status, { id: second, created: await seconds(client()) });
        expect(await customer.answer(), status).to.deep.equal([200]);
      }
    });

    it('sets the plan, and with it the limits', async () => {
      const customer = await aCustomer(client(), 'free');
      await customer.tells('active', { lookupKey: 'builder_monthly' });
      const reply = await client().news(customer.key.key, '?limit=1');
      expect(reply.headers['ratelimit-policy']).to.equal('"minute";q=600;w=60, "day";q=50000;w=86400');
      expect((await customer.view()).subscription).to.include({ plan: 'builder', state: 'active' });
    });

    it('keeps its keys after a downgrade, and gets no new ones (D24)', async () => {
      const customer = await aCustomer(client());
      const second = await issue(client(), customer.account);
      await customer.tells('active', { lookupKey: 'free' });
      expect((await client().news(second.key, '?limit=1')).status).to.equal(200);
      const third = await client().operate('POST', `/internal/v1/accounts/${customer.account}/keys`);
      expect([third.status, problem(third).code]).to.deep.equal([409, 'allowance_exceeded']);
    });

    it('is suspended on the fourth failed retry; payment restores the same key (contract section 3.1, D28)', async () => {
      const customer = await aCustomer(client());
      const invoice = `in_${unique()}`;
      await customer.tells('past_due');
      for (const attempts of [1, 2, 3, 4]) {
        await customer.fails(attempts, invoice);
        expect(await customer.answer()).to.deep.equal([200]);
      }
      expect((await customer.view()).subscription.dunning?.open_invoices[0]?.failed_retries).to.equal(3);
      await customer.fails(5, invoice);
      expect(await customer.answer()).to.deep.equal([402, 'key_suspended', ['payment_failure']]);
      await customer.pays(invoice);
      expect(await customer.answer()).to.deep.equal([200]);
      expect((await customer.view()).subscription.dunning).to.equal(null);
      const { audit } = await keyNow(client(), customer.key.key_id);
      expect(audit.map(({ event }) => event)).to.include.members([
        'attempt_failed',
        'payment_failed',
        'invoice_paid',
      ]);
    });

    it('is suspended 14 days after the first failure, effective at that time; payment restores it (contract section 3.1, D28)', async () => {
      const customer = await aCustomer(client());
      const invoice = `in_${unique()}`;
      await customer.tells('past_due');
      await customer.fails(1, invoice);
      const { suspends_at } = (await customer.view()).subscription.dunning ?? { suspends_at: '' };
      await advance(client(), 14 * DAY - 60);
      expect(await customer.answer()).to.deep.equal([200]);
      await advance(client(), 61);
      expect(await customer.answer()).to.deep.equal([402, 'key_suspended', ['payment_failure']]);
      const { audit } = await keyNow(client(), customer.key.key_id);
      const suspended = audit.find(({ event }) => event === 'payment_failed') as
        | { readonly at?: string }
        | undefined;
      expect(suspended?.at).to.equal(suspends_at);
      await customer.pays(invoice);
      expect(await customer.answer()).to.deep.equal([200]);
    });

    it('is suspended 14 days after it was past due, also without a known failed invoice (D28)', async () => {
      const customer = await aCustomer(client());
      await customer.tells('past_due');
      expect((await customer.view()).subscription.dunning?.open_invoices).to.deep.equal([]);
      await advance(client(), 14 * DAY - 60);
      expect(await customer.answer()).to.deep.equal([200]);
      await advance(client(), 61);
      expect(await customer.answer()).to.deep.equal([402, 'key_suspended', ['payment_failure']]);
      await customer.tells('active');
      expect(await customer.answer()).to.deep.equal([200]);
    });

    it('is restored only when every open invoice is paid; a hold stays (D20)', async () => {
      const customer = await aCustomer(client());
      const [first, second] = [`in_${unique()}`, `in_${unique()}`];
      await customer.tells('past_due');
      await customer.fails(5, first);
      await customer.fails(1, second);
      await client().operate('POST', `/internal/v1/accounts/${customer.account}/hold`, {
        reason: 'ticket 9',
      });
      expect(await customer.answer()).to.deep.equal([
        402,
        'key_suspended',
        ['payment_failure', 'manual_hold'],
      ]);
      // A payment in the same second as the last failed retry would count as paid in time.
      await advance(client(), 1);
      await customer.pays(first);
      expect(await customer.answer()).to.deep.equal([
        402,
        'key_suspended',
        ['payment_failure', 'manual_hold'],
      ]);
      await customer.pays(second);
      expect(await customer.answer()).to.deep.equal([402, 'key_suspended', ['manual_hold']]);
      await client().operate('POST', `/internal/v1/accounts/${customer.account}/release`, {
        reason: 'settled',
      });
      expect(await customer.answer()).to.deep.equal([200]);
    });

    it('that is suspended cannot issue or rotate keys, and has no grace (D21, D22)', async () => {
      const customer = await aCustomer(client());
      const old = await issue(client(), customer.account);
      const rotated = await actOn(client(), old.key_id, 'rotate', {});
      expect((await actOn(client(), old.key_id, 'revoke', { cause: 'rotation' })).status).to.equal(200);
      expect((await client().news(old.key, '?limit=1')).status).to.equal(200);
      await customer.tells('past_due');
      await customer.fails(5, `in_${unique()}`);
      const suspended = [402, 'key_suspended'];
      const refused = async (path: string, body: object = {}) => {
        const reply = await client().operate('POST', path, body);
        return [reply.status, problem(reply).code];
      };
      expect(await refused(`/internal/v1/accounts/${customer.account}/keys`)).to.deep.equal(suspended);
      expect(await refused(`/internal/v1/keys/${customer.key.key_id}/rotate`)).to.deep.equal(suspended);
      expect(await refused(`/internal/v1/keys/${(rotated.json as KeyView).key_id}/rotate`)).to.deep.equal(
        suspended,
      );
      // The suspension ended the running grace, and a suspended key cannot be revoked for a rotation.
      expect((await client().news(old.key, '?limit=1')).status).to.equal(401);
      const retired = await refused(`/internal/v1/keys/${customer.key.key_id}/revoke`, { cause: 'rotation' });
      expect(retired).to.deep.equal([409, 'no_replacement']);
      await actOn(client(), customer.key.key_id, 'revoke', { cause: 'manual' });
      expect(await customer.answer()).to.deep.equal([401, 'key_revoked', undefined]);
      expect(await refused(`/internal/v1/accounts/${customer.account}/keys`)).to.deep.equal(suspended);
      for (const state of ['paused', 'unpaid']) {
        const other = await aCustomer(client());
        await other.tells(state);
        const [status] = await refused(`/internal/v1/accounts/${other.account}/keys`);
        expect([state, status]).to.deep.equal([state, 402]);
      }
    });

    it('that is canceled has its keys revoked for good; a new subscription needs new keys (contract section 3.1, D27)', async () => {
      const customer = await aCustomer(client());
      await customer.tells('active');
      await customer.tells('canceled');
      expect(await customer.answer()).to.deep.equal([401, 'key_revoked', undefined]);
      await advance(client(), 2);
      const created = await seconds(client());
      const again = stripeSubscription({ id: `sub_${unique()}`, customer: customer.customer, created });
      await deliverEvent(client(), 'customer.subscription.created', again);
      expect(await customer.answer()).to.deep.equal([401, 'key_revoked', undefined]);
      const fresh = await issue(client(), customer.account);
      expect((await client().news(fresh.key, '?limit=1')).status).to.equal(200);
      const now = await keyNow(client(), customer.key.key_id);
      expect([now.status, now.revocation_cause]).to.deep.equal(['revoked', 'cancellation']);
    });

    it('starts no dunning when its first invoice fails (D28)', async () => {
      const customer = await aCustomer(client());
      const first = stripeInvoice({
        customer: customer.customer,
        subscription: 'sub_first',
        attempts: 5,
        reason: 'subscription_create',
      });
      await deliverEvent(client(), 'invoice.payment_failed', first);
      expect([await customer.answer(), (await customer.view()).subscription.dunning]).to.deep.equal([
        [200],
        null,
      ]);
    });

    it('is linked by an operator to one account, and an account to one customer (D42)', async () => {
      const open = async () =>
        (
          (
            await client().operate('POST', '/internal/v1/accounts', {
              email: `${unique()}@example.org`,
              plan: 'free',
            })
          ).json as AccountView
        ).account_id;
      const [mine, another] = [await open(), await open()];
      const customer = `cus_${unique()}`;
      const link = async (account: string, to: string) => {
        const reply = await client().operate('POST', `/internal/v1/accounts/${account}/customer`, {
          processor_customer_id: to,
        });
        return reply.status === 200 ? [200] : [reply.status, problem(reply).code];
      };
      expect(await link(mine, customer)).to.deep.equal([200]);
      expect(await link(mine, customer)).to.deep.equal([200]);
      expect(await link(another, customer)).to.deep.equal([409, 'account_exists']);
      expect(await link(mine, `cus_${unique()}`)).to.deep.equal([409, 'account_linked']);
    });
  });
}
