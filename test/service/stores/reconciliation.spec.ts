import { expect } from 'chai';
import { stripeEvent, stripeInvoice, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { StripeStub } from '../../support/servers/stripe-stub.js';
import { advance, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';
import { type Service, startService } from '../../support/service/running-service.js';

const DAY = 86_400;

/** D28, D29: the service polls the payment processor through its library; a stub answers over HTTP. */
function reconciliationSuite(name: string, start: (stripe: string) => Promise<Service>): void {
  describe(`The reconciliation with the payment processor, ${name},`, function () {
    this.timeout(30_000);
    let stub: StripeStub;
    let service: Service;
    let client: Client;
    before(async () => {
      stub = await StripeStub.start();
      service = await start(stub.url);
      client = await Client.of(service);
    });
    after(async () => {
      await service.stop();
      await stub.stop();
    });
    beforeEach(() => {
      stub.failing = null;
    });

    it('applies the events of three days of lost webhooks (D29)', async () => {
      const customers = [
        await aCustomer(client),
        await aCustomer(client),
        await aCustomer(client),
        await aCustomer(client),
      ];
      const [owing, paused, canceled, waking] = customers as [
        (typeof customers)[0],
        (typeof customers)[0],
        (typeof customers)[0],
        (typeof customers)[0],
      ];
      for (const customer of customers) await customer.tells('active');
      await waking.tells('paused');
      const began = await seconds(client);
      const pausedSubscription = await subscriptionOf(paused);
      // The processor has these events, and none is delivered.
      for (let hour = 1; hour < 72; hour += 1) {
        const at = began + hour * 3_600;
        const lost = (type: string, object: object) => void stub.events.push(stripeEvent(type, object, at));
        lost('charge.refunded', { id: `ch_${hour}` });
        lost(
          'customer.subscription.updated',
          stripeSubscription({
            customer: paused.customer,
            id: pausedSubscription,
            status: 'paused',
          }),
        );
        if (hour === 10)
          lost('customer.subscription.deleted', {
            ...stripeSubscription({ customer: canceled.customer, status: 'canceled' }),
            id: await subscriptionOf(canceled),
          });
        if (hour === 20)
          lost(
            'customer.subscription.updated',
            stripeSubscription({ customer: waking.customer, id: `sub_w_${unique()}`, created: at }),
          );
        if (hour % 12 === 0) {
          const invoice = stripeInvoice({
            id: 'in_lost',
            customer: owing.customer,
            subscription: await subscriptionOf(owing),
            attempts: hour / 12,
          });
          lost('invoice.payment_failed', invoice);
        }
      }
      await advance(client, 3 * DAY);
      expect(await owing.answer()).to.deep.equal([402, 'key_suspended', ['payment_failure']]);
      expect(await paused.answer()).to.deep.equal([402, 'subscription_paused', []]);
      expect(await canceled.answer()).to.deep.equal([401, 'key_revoked', undefined]);
      expect(await waking.answer()).to.deep.equal([200]);
      const before = stub.asked.length;
      await advance(client, 14 * 60);
      expect(stub.asked.length).to.equal(before);
      await advance(client, 61);
      expect(stub.asked.slice(before).some((path) => path.startsWith('/v1/events'))).to.equal(true);
    });

    it('suspends at the deadline only if the invoice is still open at the processor (D28)', async () => {
      const [owing, paying] = [await aCustomer(client), await aCustomer(client)];
      const invoices = [`in_${unique()}`, `in_${unique()}`] as const;
      for (const [i, customer] of [owing, paying].entries()) {
        await customer.tells('past_due');
        await customer.fails(1, invoices[i] ?? '');
      }
      stub.invoices.set(
        invoices[0],
        stripeInvoice({ id: invoices[0], subscription: await subscriptionOf(owing), status: 'open' }),
      );
      stub.invoices.set(
        invoices[1],
        stripeInvoice({ id: invoices[1], subscription: await subscriptionOf(paying), status: 'paid' }),
      );
      await advance(client, 14 * DAY);
      expect(await owing.answer()).to.deep.equal([402, 'key_suspended', ['payment_failure']]);
      expect(await paying.answer()).to.deep.equal([200]);
      const asked = stub.asked.filter((path) => path.includes(invoices[0]));
      expect(asked).to.have.length(1);
    });

    it('suspends one day after the deadline if the processor is unreachable (D28)', async () => {
      const customer = await aCustomer(client);
      await customer.tells('past_due');
      await customer.fails(1, `in_${unique()}`);
      stub.failing = 500;
      await advance(client, 14 * DAY);
      expect(await customer.answer()).to.deep.equal([200]);
      await advance(client, DAY - 60);
      expect(await customer.answer()).to.deep.equal([200]);
      await advance(client, 61);
      expect(await customer.answer()).to.deep.equal([402, 'key_suspended', ['payment_failure']]);
    });

    it('asks about two events of one second that do not tell their order (D29)', async () => {
      const customers = [await aCustomer(client), await aCustomer(client)];
      for (const { customer, key, answer } of customers) {
        const subscription = `sub_${unique()}`;
        const at = await seconds(client);
        const object = (status: string) => stripeSubscription({ id: subscription, customer, status });
        const isServed = key === customers[0]?.key;
        stub.subscriptions.set(subscription, object(isServed ? 'active' : 'unpaid'));
        const events = [
          stripeEvent('customer.subscription.updated', object('active'), at),
          stripeEvent('customer.subscription.updated', object('unpaid'), at),
        ];
        const ids = events.map(({ id }) => id).sort();
        // The wrong one has the greater id.
        const ordered = events.map((event, i) => ({
          ...event,
          id: ids[(i === 0) === isServed ? 0 : 1] ?? '',
        }));
        for (const event of ordered) expect((await client.deliver(event)).status).to.equal(200);
        await advance(client, 1);
        expect(await answer()).to.deep.equal(isServed ? [200] : [402, 'payment_required', []]);
      }
    });

    const subscriptionOf = async (customer: Awaited<ReturnType<typeof aCustomer>>): Promise<string> =>
      ((await customer.view()).subscription as unknown as { readonly processor_subscription_id: string })
        .processor_subscription_id;
  });
}

const asking = (stripe: string) => ({ STRIPE_API_KEY: 'sk_test_of_the_tests', STRIPE_API_URL: stripe });

reconciliationSuite('in memory', (stripe) => startService(asking(stripe)));
reconciliationSuite('two instances on Postgres and Redis', async (stripe) =>
  startService(
    { ...asking(stripe), DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() },
    2,
  ),
);

describe('A service that was stopped', () => {
  it('polls the missed payment events when it starts (D29)', async function () {
    this.timeout(30_000);
    const stub = await StripeStub.start();
    const shared = { ...asking(stub.url), DATABASE_URL: await freshDatabase(serverUrl()) };
    const first = await startService(shared);
    const client = await Client.of(first);
    const customer = await aCustomer(client);
    await customer.tells('active');
    const now = await seconds(client);
    const { subscription } = await customer.view();
    const { processor_subscription_id: id } = subscription as unknown as {
      readonly processor_subscription_id: string;
    };
    await first.stop();
    stub.events.push(
      stripeEvent(
        'customer.subscription.updated',
        stripeSubscription({ customer: customer.customer, id, status: 'paused' }),
        now + 1,
      ),
    );
    const second = await startService(shared);
    await second.instances[0]?.line('recovered missed payment events');
    const again = await Client.of(second);
    expect((await again.news(customer.key.key, '?limit=1')).status).to.equal(402);
    await second.stop();
    await stub.stop();
  });
});
