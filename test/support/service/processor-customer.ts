import { expect } from 'chai';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import { stripeEvent, stripeInvoice, stripeSubscription } from '../objects/stripe-objects.js';
import { issue, problem, unique } from './api-calls.js';
import type { Client } from './client.js';

type Dunning = {
  readonly open_invoices: readonly { readonly failed_retries: number }[];
  readonly suspends_at: string;
};
export type AccountView = {
  readonly account_id: string;
  readonly processor_customer_id: string | null;
  readonly subscription: {
    readonly plan: PlanName;
    readonly state: string;
    readonly causes: readonly string[];
    readonly dunning: Dunning | null;
  };
};

/** A customer of the payment processor with an account, a key and one subscription; its functions deliver events. */
export async function aCustomer(client: Client, plan: PlanName = 'pro') {
  const customer = `cus_${unique()}`;
  const opened = await client.operate('POST', '/internal/v1/accounts', {
    email: `${customer}@example.org`,
    plan,
    processor_customer_id: customer,
  });
  expect(opened.status).to.equal(201);
  const { account_id: account } = opened.json as AccountView;
  const key = await issue(client, account);
  const created = await seconds(client);
  const subscription = `sub_${unique()}`;
  return {
    account,
    customer,
    key,
    tells: async (
      status: string,
      more: { readonly id?: string; readonly lookupKey?: string; readonly created?: number } = {},
    ) => {
      const object = stripeSubscription({
        id: subscription,
        customer,
        status,
        created,
        lookupKey: plan,
        ...more,
      });
      const type = status === 'canceled' ? 'deleted' : 'updated';
      return deliverEvent(client, `customer.subscription.${type}`, object);
    },
    /** Delivers that the nth attempt to collect an invoice failed. */
    fails: async (attempts: number, invoice: string) =>
      deliverEvent(
        client,
        'invoice.payment_failed',
        stripeInvoice({ id: invoice, customer, subscription, attempts }),
      ),
    pays: async (invoice: string) =>
      deliverEvent(
        client,
        'invoice.paid',
        stripeInvoice({ id: invoice, customer, subscription, status: 'paid' }),
      ),
    answer: async () => {
      const reply = await client.news(key.key, '?limit=1');
      return reply.status === 200 ? [200] : [reply.status, problem(reply).code, problem(reply).causes];
    },
    view: async () => (await client.operate('GET', `/internal/v1/accounts/${account}`)).json as AccountView,
  };
}

export const seconds = async (client: Client): Promise<number> =>
  Math.floor(Date.parse(await client.time()) / 1_000);

/** Delivers an event of the processor and expects that it is applied. */
export async function deliverEvent(client: Client, type: string, object: object): Promise<void> {
  const reply = await client.deliver(stripeEvent(type, object, await seconds(client)));
  expect([reply.status, reply.json]).to.deep.equal([200, { state: 'applied' }]);
}
