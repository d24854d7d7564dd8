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

describe('The way to the billing portal of Stripe', () => {
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
  const visit = async () => (await visitorOf(service, holder.account)).glance(PORTAL);

  it('opens for the holder of the account that has the customer’s e-mail address', async () => {
    const account = await service.parts.accounts.find(holder.account);
    emailIs(account?.email.toUpperCase() ?? '');
    const { status, headers } = await visit();
    expect([status, headers.location]).to.deep.equal([
      303,
      `https://billing.stripe.example/p/session/${customer()}`,
    ]);
    expect(stub.portals).to.have.length(1);
  });

  it('of a payer who was lured into the checkout of another account does not open to its holder', async () => {
    for (const lured of [
      () => emailIs('payer@example.org'),
      () => emailIs(null),
      () => emailIs(null, { deleted: true }),
    ]) {
      lured();
      const page = await visit();
      expect(page.status).to.equal(403);
      expect(page.text)
        .to.include('another e-mail address than this account')
        .and.include('Ask the people who run');
      expect(page.text).not.to.include('payer@example.org');
      expect(stub.portals).to.deep.equal([]);
    }
  });

  it('is a page that says so while Stripe is away', async () => {
    stub.failing = 500;
    expect((await visit()).status).to.equal(503);
    stub.failing = null;
  });
});
