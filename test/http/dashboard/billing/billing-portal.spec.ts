import { expect } from 'chai';
import { StripeStub } from '../../../support/servers/stripe-stub.js';
import {
  type Composed,
  composed,
  type Holder,
  keyHolder,
  rewrite,
} from '../../../support/service/composed.js';
import { visitorOf } from '../../../support/service/visitor.js';

const PORTAL = '/dashboard/subscription/portal';

describe('The link to the Stripe billing portal', () => {
  let stub: StripeStub;
  let service: Composed;
  let holder: Holder;
  before(async () => {
    stub = await StripeStub.start();
    service = await composed({ STRIPE_API_KEY: 'sk_test_of_the_tests', STRIPE_API_URL: stub.url });
  });
  after(async () => {
    await service.stop();
    await stub.stop();
  });
  beforeEach(async () => {
    holder = await keyHolder(service);
    await rewrite(service, holder.account, (account) => ({
      ...account,
      processorCustomerId: `cus_${account.id}`,
    }));
    stub.portals.length = 0;
  });

  const customer = () => `cus_${holder.account}`;
  const emailIs = (email: string | null, more: object = {}) =>
    stub.customers.set(customer(), { id: customer(), email, ...more } as { id: string });
  const visit = async () => (await visitorOf(service, holder.account)).openOnce(PORTAL);

  it('opens the portal if the account has the email address of the customer', async () => {
    const account = await service.parts.accounts.find(holder.account);
    emailIs(account?.email.toUpperCase() ?? '');
    const { status, headers } = await visit();
    expect([status, headers.location]).to.deep.equal([
      303,
      `https://billing.stripe.example/p/session/${customer()}`,
    ]);
    expect(stub.portals).to.have.length(1);
  });

  it('does not open the portal of a customer with another email address, who was lured into the checkout of this account', async () => {
    for (const lured of [
      () => emailIs('payer@example.org'),
      () => emailIs(null),
      () => emailIs(null, { deleted: true }),
    ]) {
      lured();
      const page = await visit();
      expect(page.status).to.equal(403);
      expect(page.text)
        .to.include('no email address for you, or another one than this account')
        .and.include('Contact us');
      expect(page.text).not.to.include('payer@example.org');
      expect(stub.portals).to.deep.equal([]);
    }
  });

  it('answers with an error page while Stripe is unavailable', async () => {
    stub.failing = 500;
    expect((await visit()).status).to.equal(503);
    stub.failing = null;
  });
});
