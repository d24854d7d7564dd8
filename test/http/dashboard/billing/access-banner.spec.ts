import { expect } from 'chai';
import type { SuspensionCause } from '../../../../src/domain/keys/suspension.js';
import { openInvoice } from '../../../support/objects/builders.js';
import {
  type Composed,
  composed,
  type Holder,
  keyHolder,
  rewrite,
  START,
} from '../../../support/service/composed.js';
import { type Visitor, visitorOf } from '../../../support/service/visitor.js';

const SUPPORT = { SUPPORT_CONTACT: 'mailto:help@example.com?subject=Oddswire' };
const PAY = '<a class="button" href="/dashboard/subscription/portal">Pay now</a>';

describe('The banner of every page', () => {
  let service: Composed;
  let holder: Holder;
  let visitor: Visitor;
  before(async () => {
    service = await composed(SUPPORT, ({ accounts }) => ({
      billingPortal: () => ({
        emailOf: async () => (await accounts.find(holder.account))?.email ?? null,
        open: async () => 'https://pay.example/session',
      }),
    }));
    holder = await keyHolder(service);
    visitor = await visitorOf(service, holder.account);
  });
  after(() => service.stop());

  const suspend = (customer: string | null, ...causes: readonly SuspensionCause[]) =>
    rewrite(service, holder.account, (account) => ({
      ...account,
      processorCustomerId: customer,
      dunning: causes.includes('payment_failure') ? [openInvoice({ firstFailedAt: START })] : [],
      subscription: { ...account.subscription, state: 'active', suspension: { status: 'suspended', causes } },
    }));

  it('has “Pay now” while requests are refused for an invoice, on every page but that of the plan', async () => {
    await suspend('cus_7', 'payment_failure');
    for (const name of ['keys', 'usage', 'feed', 'destinations'])
      expect((await visitor.open(`/dashboard/${name}`)).html, name).to.include(PAY);
    const banner = /<div id="access".*?<\/div>/s.exec(
      (await visitor.open('/dashboard/subscription')).html,
    )?.[0];
    expect(banner).to.include('return 402').and.not.include('Pay now');
    const { headers } = await visitor.openOnce('/dashboard/subscription/portal');
    expect(headers['location']).to.equal('https://pay.example/session');
  });

  it('has a link to the plan, and no “Pay now”, without a customer to pay for, and without an invoice', async () => {
    for (const [customer, cause] of [
      [null, 'payment_failure'],
      ['cus_7', 'abuse'],
    ] as const) {
      await suspend(customer, cause);
      const { html, text } = await visitor.open('/dashboard/keys');
      expect(html).not.to.include('Pay now');
      expect(text).to.include('View plan');
    }
  });

  it('has the address of the operator where it says to contact them', async () => {
    await suspend(null, 'abuse');
    const { html, text } = await visitor.open('/dashboard/keys');
    expect(text).to.include('Contact us at help@example.com and tell us');
    expect(html).to.include('<a href="mailto:help@example.com?subject=Oddswire">help@example.com</a>');
    await rewrite(service, holder.account, (account) => ({
      ...account,
      subscription: { ...account.subscription, state: 'canceled', suspension: { status: 'active' } },
    }));
    expect((await visitor.open('/dashboard/keys')).text).to.include(
      'Contact us at help@example.com to subscribe again',
    );
  });
});
