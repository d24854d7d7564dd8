import { expect } from 'chai';
import { expectUsable } from '../../support/browser/usable-page.js';
import { accepted } from '../../support/objects/builders.js';
import { NOON_SECONDS, stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';
import {
  type Composed,
  composed,
  type Holder,
  keyHolder,
  requestNews,
} from '../../support/service/composed.js';
import { operatorOf, type Visitor } from '../../support/service/visitor.js';

describe('A checkout in the operator console', () => {
  let service: Composed;
  let holder: Holder;
  let person: Visitor;
  let customers = 0;
  before(async () => {
    service = await composed({ STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' });
  });
  after(() => service.stop());
  beforeEach(async () => {
    holder = await keyHolder(service);
    person = await operatorOf(service);
  });

  const receive = async (type: string, object: object) => {
    const event = stripeEvent(type, object);
    const read = await service.parts.readPaymentEvent(Buffer.from(JSON.stringify(event)));
    const { state } = await service.parts.paymentEvents.receive(read);
    return { id: event.id, state, path: `/operator/payment-events/${event.id}` };
  };
  /** A checkout of an unknown customer, opened with this reference. */
  const checkout = async (reference: string, created = NOON_SECONDS) => {
    customers += 1;
    const customer = `cus_checkout_${customers}`;
    const session = { id: 'cs_1', customer, created, client_reference_id: reference };
    return { customer, ...(await receive('checkout.session.completed', session)) };
  };
  const customerNow = async () => (await service.parts.accounts.find(holder.account))?.processorCustomerId;

  it('can be linked if it names the account by its plain id, and explains why it was not', async () => {
    const { customer, state, path } = await checkout(holder.account);
    expect(state).to.equal('failed');
    await receive('customer.subscription.updated', stripeSubscription({ customer, status: 'paused' }));
    expect((await person.open('/operator/payment-events')).text).to.include(
      'by its account ID, which is no secret',
    );
    const page = await person.open(path);
    expect(page.text).to.include('by its account ID').and.include(`Link ${customer} to holder-`);
    expect(page.html).to.include(`href="${path}/link"`);

    const asked = await person.open(`${path}/link`);
    expect(asked.text).to.include('Anyone can name this account').and.include('revokes the keys');
    expect(await customerNow()).to.equal(null);
    const done = await person.submit(`${path}/link`, { reason: 'their invoice, by phone' });
    expect(done.text).to.include('The customer is linked to this account');
    const { text: audit } = await person.open(`/operator/accounts/${holder.account}/audit`);
    expect(audit).to.include(`${customer}: their invoice, by phone`);
    expect(await customerNow()).to.equal(customer);
    expect((await requestNews(service, holder.value)).status).to.equal(402);
    const after = await person.open(path);
    expect(after.text).to.include('The event was applied to its account.');
    expect(after.html).not.to.include(`${path}/link`);
  });

  it('can be linked if its reference had expired or is not signed by the service', async () => {
    const { reference } = accepted(await service.parts.makeCheckoutReference(holder.account));
    const expired = await checkout(reference, NOON_SECONDS + 8 * 86_400);
    const unsigned = await checkout(`${reference.slice(0, -8)}AAAAAAAA`);
    expect((await person.open(expired.path)).text).to.include('had expired when the checkout was opened');
    expect((await person.open(unsigned.path)).text).to.include('not signed with a webhook secret');
    await person.open(`${expired.path}/link`);
    expect((await person.submit(`${expired.path}/link`, { reason: 'late' })).status).to.equal(200);
    expect(await customerNow()).to.equal(expired.customer);
    // An account keeps its customer: the other checkout can no longer be linked.
    expect((await person.open(unsigned.path)).html).not.to.include(`${unsigned.path}/link`);
    expect((await person.openOnce(`${unsigned.path}/link`)).status).to.equal(404);
  });

  it('needs a reason, a form of the same session and an existing account to be linked', async () => {
    const { path } = await checkout(holder.account);
    await person.open(`${path}/link`);
    const { formToken } = person;
    const empty = await person.submit(`${path}/link`, { reason: ' ' });
    expect([empty.status, empty.text.includes('Reason must have 1 to 500 characters')]).to.deep.equal([
      400,
      true,
    ]);
    expect((await person.post(`${path}/link`, { reason: 'forged' })).status).to.equal(403);
    const elsewhere = { 'Sec-Fetch-Site': 'cross-site' };
    const forged = await person.post(`${path}/link`, { reason: 'x', form_token: formToken }, elsewhere);
    expect(forged.status).to.equal(403);
    expect(await customerNow()).to.equal(null);
    const nobody = await checkout(`acc_${'0'.repeat(24)}`);
    expect((await person.open(nobody.path)).html).not.to.include(`${nobody.path}/link`);
    expect((await person.openOnce(`${nobody.path}/link`)).status).to.equal(404);
  });

  it('is refused with an explanation if its customer has been linked to another account since', async () => {
    const { customer, path } = await checkout(holder.account);
    const { reference } = accepted(
      await service.parts.makeCheckoutReference((await keyHolder(service)).account),
    );
    await person.open(`${path}/link`);
    const session = { id: 'cs_2', customer, created: NOON_SECONDS, client_reference_id: reference };
    expect((await receive('checkout.session.completed', session)).state).to.equal('applied');
    const page = await person.submit(`${path}/link`, { reason: 'too late' });
    expect([
      page.status,
      page.text.includes('Another account already has this email address or customer.'),
    ]).to.deep.equal([409, true]);
    expect(await customerNow()).to.equal(null);
  });

  it('is found by its reference, session and customer while it waits, and leads to the account to link', async () => {
    const gone = accepted(await service.parts.makeCheckoutReference(holder.account)).reference.replace(
      holder.account,
      `acc_${'0'.repeat(24)}`,
    );
    const { customer, path } = await checkout(gone);
    const update = await receive(
      'customer.subscription.updated',
      stripeSubscription({ customer, status: 'paused' }),
    );
    expect(update.state).to.equal('waiting');
    const found = await person.submit('/operator', { q: gone });
    expect([found.status, found.text.includes(`Checkout reference ${gone}`)]).to.deep.equal([200, true]);
    expect(found.html).not.to.include('account-choice');
    const both = await person.submit('/operator', { q: customer });
    expect(both.html).to.include(`href="${path}"`).and.include(`href="${update.path}"`);

    const page = await person.open(update.path);
    expect(page.text).to.include(`No account is linked to the customer ${customer}`);
    expectUsable(update.path, page.html);
    const none = await person.submit(`${update.path}/account`, { account: 'nobody@else.example' });
    expect([none.status, none.text.includes('No account has this email address or ID.')]).to.deep.equal([
      400,
      true,
    ]);
    expectUsable(update.path, none.html);
    const email = (await service.parts.accounts.find(holder.account))?.email ?? '';
    const asked = await person.submit(`${update.path}/account`, { account: ` ${email.toUpperCase()} ` });
    expect(asked.html).to.include(`value="${customer}"`);
    expect(await customerNow()).to.equal(null);
    const form = { customer, reason: 'their invoice' };
    const done = await person.submit(`/operator/accounts/${holder.account}/customer`, form);
    expect(done.status).to.equal(200);
    expect(await customerNow()).to.equal(customer);
    expect((await person.open(update.path)).text).to.include('The event was applied to its account.');
  });
});
