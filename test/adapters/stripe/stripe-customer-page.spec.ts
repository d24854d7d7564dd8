import { expect } from 'chai';
import { stripePorts } from '../../../src/adapters/stripe/stripe-ports.js';

describe('The page of a customer at Stripe', () => {
  const pageWith = (apiKey: string | undefined) => {
    const settings = {
      webhookSecrets: [],
      apiUrl: 'https://api.stripe.com',
      prices: {},
      paymentLink: undefined,
    };
    return stripePorts({ ...settings, apiKey }, () => false).customerPage()?.('cus_1/x');
  };

  it('is that of the mode of the API key, and without a key there is none', () => {
    for (const live of ['sk_live_1', 'rk_live_1']) {
      expect(pageWith(live)).to.equal('https://dashboard.stripe.com/customers/cus_1%2Fx');
    }
    expect(pageWith('sk_test_1')).to.equal('https://dashboard.stripe.com/test/customers/cus_1%2Fx');
    expect(pageWith(undefined)).to.equal(undefined);
  });
});
