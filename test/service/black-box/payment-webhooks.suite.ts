import { expect } from 'chai';
import { stripeEvent, stripeInvoice, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { keyNow, problem, type ServiceUnderTest } from '../../support/service/api-calls.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';

/** D29 and D31: which webhooks are accepted, and that each is applied once. */
export function paymentWebhooksSuite({ client }: ServiceUnderTest): void {
  describe('a webhook of the processor (D29, D31)', () => {
    it('is applied once, however often it is delivered', async () => {
      const customer = await aCustomer(client());
      const now = await seconds(client());
      const paused = stripeEvent(
        'customer.subscription.paused',
        stripeSubscription({ customer: customer.customer, status: 'paused' }),
        now,
      );
      const states = await Promise.all(
        Array.from({ length: 6 }, async () => (await client().deliver(paused)).json),
      );
      expect(states.filter((state) => (state as { state: string }).state === 'applied')).to.have.length(1);
      expect(states.filter((state) => (state as { state: string }).state === 'known')).to.have.length(5);
      const { audit } = await keyNow(client(), customer.key.key_id);
      expect(audit.filter(({ event }) => event === 'subscription_changed')).to.have.length(1);
    });

    it('with a wrong signature, or a time more than 5 minutes off our clock, is 400 and changes nothing', async () => {
      const customer = await aCustomer(client());
      const now = await seconds(client());
      const event = stripeEvent(
        'customer.subscription.paused',
        stripeSubscription({ customer: customer.customer, status: 'paused' }),
        now,
      );
      const refusals = [
        await client().deliver(event, { secret: 'whsec_of_another' }),
        await client().deliver(event, { seconds: now - 310 }),
        await client().deliver(event, { seconds: now + 310 }),
        await client().ask('/webhooks/stripe', { method: 'POST', body: JSON.stringify(event) }),
      ];
      for (const reply of refusals) {
        expect([reply.status, problem(reply).code]).to.deep.equal([400, 'invalid_signature']);
        expect(reply.headers['ratelimit-policy']).to.include('anonymous');
      }
      expect(await customer.answer()).to.deep.equal([200]);
      expect((await client().operate('GET', `/internal/v1/payment-events/${event.id}`)).status).to.equal(404);
    });

    it('is at most 256 KB; a larger one is read to its end and refused', async () => {
      const huge = { ...stripeEvent('invoice.paid', stripeInvoice()), padding: 'x'.repeat(300 * 1_024) };
      const reply = await client().deliver(huge);
      expect([reply.status, problem(reply).code]).to.deep.equal([413, 'payload_too_large']);
      const large = { ...stripeEvent('charge.refunded', { id: 'ch_1' }), padding: 'x'.repeat(200 * 1_024) };
      expect((await client().deliver(large)).json).to.deep.equal({ state: 'ignored' });
    });

    it('that cannot be applied is stored as failed and counted; it blocks no other and can be replayed', async () => {
      const customer = await aCustomer(client());
      const now = await seconds(client());
      const strange = stripeEvent(
        'customer.subscription.updated',
        stripeSubscription({ customer: customer.customer, status: 'hibernating' }),
        now,
      );
      expect((await client().deliver(strange)).json).to.deep.equal({ state: 'failed' });
      await customer.tells('paused');
      expect(await customer.answer()).to.deep.equal([402, 'subscription_paused', []]);
      const listed = await client().operate('GET', '/internal/v1/payment-events?state=failed');
      const { events } = listed.json as { events: readonly { event_id: string; fault: string }[] };
      expect(events.find(({ event_id }) => event_id === strange.id)?.fault).to.include('hibernating');
      const replayed = await client().operate('POST', `/internal/v1/payment-events/${strange.id}/replay`);
      expect(replayed.json).to.include({ state: 'failed' });
      const ofAccount = await client().operate(
        'GET',
        `/internal/v1/payment-events?account_id=${customer.account}`,
      );
      expect((ofAccount.json as { events: readonly unknown[] }).events).to.have.length(1);
      expect(
        (await client().operate('POST', '/internal/v1/payment-events/evt_nobody/replay')).status,
      ).to.equal(404);
      expect((await client().operate('GET', '/internal/v1/payment-events?state=odd')).status).to.equal(400);
      const { text } = await client().internal('/metrics');
      expect(text).to.include('oddswire_payment_events_total{state="applied"}');
    });

    it('is accepted by POST only', async () => {
      const reply = await client().ask('/webhooks/stripe');
      expect([reply.status, reply.headers['allow']]).to.deep.equal([405, 'POST']);
    });
  });
}
