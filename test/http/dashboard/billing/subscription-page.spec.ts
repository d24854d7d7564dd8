import { expect } from 'chai';
import { openInvoice } from '../../../support/objects/builders.js';
import { ask, rewrite, START } from '../../../support/service/composed.js';
import { signedInHolder } from '../../../support/service/visitor.js';

describe('The subscription page', () => {
  const portal = { url: 'https://pay.example/session' as string | null };
  const { service, holder, visitor } = signedInHolder(({ accounts }) => ({
    billingPortal: () => ({
      emailOf: async () => (await accounts.find(holder().account))?.email ?? null,
      open: async (customer, returnUrl) =>
        portal.url === null ? null : `${portal.url}?for=${customer}&back=${returnUrl}`,
    }),
  }));

  it('shows the plan, the status, and why requests are refused (D27, D28)', async () => {
    const well = await visitor().open('/dashboard/subscription');
    expect(well.html).to.include('<h1>Plan</h1><span class="badge good">Pro · Active</span>');
    expect(well.text).to.include('Per minute: 0 of 3,000 resets in 50 s');
    expect(well.text).to.include('Per day: 0 of 1,000,000 resets in 12 h').and.not.include('at this rate');
    expect(well.text).not.to.match(/Invoices and payment method|No problems/);
    const invoice = openInvoice({ firstFailedAt: START });
    await rewrite(service(), holder().account, (account) => ({ ...account, dunning: [invoice] }));
    const dunned = await visitor().open('/dashboard/subscription');
    expect(dunned.text).to.include(
      'Open invoices Invoice First failed Failed attempts Next retry in_7 1 Mar 3 3 Mar',
    );
    expect(dunned.text).to.include(
      'A payment failed. Your keys still work. Access ends on 12 Mar at the latest. Pay every open invoice to keep access.',
    );
    await rewrite(service(), holder().account, (account) => ({
      ...account,
      subscription: {
        ...account.subscription,
        suspension: { status: 'suspended', causes: ['payment_failure'] },
      },
    }));
    const stopped = await visitor().open('/dashboard/subscription');
    expect(stopped.text).to.include('Requests with your keys return 402.');
    expect(stopped.text).to.include('Pay every open invoice. Your keys then work again, unchanged.');
    for (const [state, label] of [
      ['paused', 'Resume the subscription'],
      ['incomplete', 'Complete the first payment'],
      ['unpaid', 'The subscription is unpaid'],
    ] as const) {
      await rewrite(service(), holder().account, (account) => ({
        ...account,
        dunning: [],
        subscription: { ...account.subscription, state, suspension: { status: 'active' } },
      }));
      expect((await visitor().open('/dashboard/subscription')).text).to.include(label);
      expect((await visitor().open('/dashboard/keys')).text)
        .to.include('(402)')
        .and.include(label);
    }
    await rewrite(service(), holder().account, (account) => ({
      ...account,
      subscription: { ...account.subscription, state: 'active' },
    }));
  });

  it('says that only an emailed link signs in if no provider is connected', async () => {
    const page = await visitor().open('/dashboard/subscription');
    expect(page.text).to.match(
      /Sign-in methods You can sign in with a link emailed to \S+\. No identity provider is connected\./,
    );
    expect(page.html).not.to.include('forget-sign-ins');
  });

  it('links to the billing portal if the account is a customer of the payment processor', async () => {
    expect((await visitor().openOnce('/dashboard/subscription/portal')).status).to.equal(404);
    await rewrite(service(), holder().account, (account) => ({ ...account, processorCustomerId: 'cus_7' }));
    expect((await visitor().open('/dashboard/subscription')).text).to.include('Invoices and payment method');
    const { status, headers } = await visitor().openOnce('/dashboard/subscription/portal');
    expect(status).to.equal(303);
    expect(headers['location']).to.match(
      /^https:\/\/pay\.example\/session\?for=cus_7&back=http:.*subscription$/,
    );
    const asked = (path: string, method: string, site: string) =>
      ask(`${service().url}${path}`, {
        method,
        headers: {
          Cookie: `oddswire_session=${visitor().cookies.get('oddswire_session')}`,
          'Sec-Fetch-Site': site,
        },
      });
    for (const [method, site] of [
      ['HEAD', 'same-origin'],
      ['GET', 'cross-site'],
    ] as const) {
      const elsewhere = await asked('/dashboard/subscription/portal', method, site);
      expect(elsewhere.headers['location']).to.equal('/dashboard/subscription');
    }
    portal.url = null;
    expect((await visitor().openOnce('/dashboard/subscription/portal')).status).to.equal(404);
    const later = [];
    for (let i = 0; i < 9; i += 1)
      later.push((await visitor().openOnce('/dashboard/subscription/portal')).status);
    expect(later.at(-1)).to.equal(429);
    portal.url = 'https://pay.example/session';
  });
});
