import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.js';

const LINK = 'https://buy.stripe.com/test_9AQ';

describe('The payment link', () => {
  const read = (environment: Readonly<Record<string, string>>) => {
    const config = readConfig(environment);
    return 'faults' in config ? config.faults : config.payments.paymentLink;
  };

  it('is an https URL and needs a webhook secret', () => {
    expect(read({ STRIPE_PAYMENT_LINK: LINK, STRIPE_WEBHOOK_SECRET: 'whsec_a' })).to.equal(LINK);
    expect(read({ STRIPE_WEBHOOK_SECRET: 'whsec_a' })).to.equal(undefined);
  });

  it('is refused over plain http', () => {
    const environment = { STRIPE_PAYMENT_LINK: 'http://buy.example', STRIPE_WEBHOOK_SECRET: 'whsec_a' };
    expect(read(environment)).to.deep.equal(['STRIPE_PAYMENT_LINK must be a URL like https://host']);
  });

  it('is refused without a webhook secret, because the service would not be notified of payments', () => {
    expect(read({ STRIPE_PAYMENT_LINK: LINK })).to.deep.equal([
      'STRIPE_PAYMENT_LINK needs STRIPE_WEBHOOK_SECRET; without webhooks the service is not notified of payments',
    ]);
  });
});
