import { expect } from 'chai';
import { readStripeEvent } from '../../../src/adapters/stripe/stripe-events.js';
import { stripePorts } from '../../../src/adapters/stripe/stripe-ports.js';
import { outcomeOf } from '../../../src/application/billing/event-outcome.js';
import { account } from '../../support/objects/builders.js';
import { stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';

const SETTINGS = { webhookSecrets: [], apiUrl: 'https://stripe.example', prices: {}, paymentLink: undefined };
const payload = (livemode: boolean | undefined) =>
  Buffer.from(
    JSON.stringify({
      ...stripeEvent('customer.subscription.updated', stripeSubscription({ customer: 'cus_1' })),
      livemode,
    }),
  );

describe('An event of the test mode of Stripe (D29)', () => {
  const stateWith = async (apiKey: string | undefined, livemode: boolean | undefined) => {
    const event = await stripePorts({ ...SETTINGS, apiKey }, () => false).readPaymentEvent()(
      payload(livemode),
    );
    const found = { ...account(), processorCustomerId: 'cus_1' };
    return outcomeOf(event, found, () => ({ next: found, entries: [] }));
  };

  it('changes nothing where the key is a live one, and is kept with the reason', async () => {
    for (const key of ['sk_live_x', 'rk_live_x']) {
      const { state, fault, change, account: id } = await stateWith(key, false);
      expect([state, change, id]).to.deep.equal(['ignored', null, null]);
      expect(fault).to.include('test mode');
    }
  });

  it('is used with a test key, and without a key; and so is an event that is live, or does not say', async () => {
    for (const [key, livemode] of [
      ['sk_test_x', false],
      [undefined, false],
      ['sk_live_x', true],
      ['sk_live_x', undefined],
    ] as const)
      expect((await stateWith(key, livemode)).state, `${key} ${livemode}`).to.equal('applied');
  });

  it('is read like any other where the mode does not matter', async () => {
    const read = readStripeEvent({ prices: {}, planOfProduct: async () => null }, () => false);
    expect(await read(payload(false))).not.to.have.property('notUsed');
  });
});
