import { expect } from 'chai';
import { expectUsable } from '../../support/browser/usable-page.js';
import { openInvoice } from '../../support/objects/builders.js';
import { keyHolder, rewrite } from '../../support/service/composed.js';
import { does, operatorConsole } from '../../support/service/operator-console.js';

const NO_INVOICE = 'No open invoices.';

describe('The payments of an account in the console', () => {
  const sent: string[] = [];
  const { service, holder, operator, home, ofAccount, lastEntry, everythingNow } = operatorConsole(() => ({
    customerPage: () => (customer) => `https://processor.example/test/customers/${customer}`,
    mailer: () => ({
      send: async ({ occasion, to }) => {
        sent.push(`${to} ${occasion}`);
        return 'sent';
      },
    }),
  }));
  const link = () => `${home()}/customer`;
  const payments = () => `${home()}/payments`;
  const setDunning = () =>
    rewrite(service(), holder().account, (found) => ({ ...found, dunning: [openInvoice()] }));
  const linkedTo = (customer: string) =>
    rewrite(service(), holder().account, (found) => ({ ...found, processorCustomerId: customer }));

  it('lead to the customer at the payment processor, also from the diagnosis of a payment', async () => {
    await linkedTo('cus_linked');
    const person = await operator();
    const href = 'href="https://processor.example/test/customers/cus_linked"';
    expect((await person.open(payments())).html)
      .to.include(href)
      .and.include(NO_INVOICE);
    expect((await person.open(home())).html).not.to.include(href);
    await setDunning();
    const page = await person.open(home());
    expect(page.html)
      .to.include(href)
      .and.include(`href="${ofAccount('repeat-notice')}"`);
    expectUsable('diagnosis', page.html);
  });

  it('are mailed again with a reason, while an invoice is open (D25, D102)', async () => {
    const person = await operator();
    expect((await person.openOnce(ofAccount('repeat-notice'))).headers.location).to.equal(home());
    await setDunning();
    expect((await person.open(payments())).html).to.include(`href="${ofAccount('repeat-notice')}"`);
    const done = await does(person, ofAccount('repeat-notice'), 'a full mailbox');
    expect(done.text).to.include('The email is queued.');
    expect(await lastEntry()).to.deep.include({
      ...{ actor: 'operator', event: 'payment_notice_repeated', reason: 'a full mailbox', key: null },
    });
    expect((await person.open(`${home()}/audit`)).text).to.include('Payment emails sent again');
    await service().parts.sendNotices();
    const { email } = (await everythingNow()).account ?? { email: '' };
    expect(
      sent.filter((one) => one.startsWith(`${email} payment_failed/`) && one.includes('/again/')),
    ).to.have.length(1);
  });

  it('are linked to a customer with a reason (D42)', async () => {
    const person = await operator();
    expect((await person.open(payments())).html).to.include(`href="${link()}"`);
    expectUsable('link a customer', (await person.open(link())).html);
    const page = await person.submit(link(), { customer: ' cus_typed ', reason: 'by phone' });
    expect(page.text).to.include('The customer is linked to this account.');
    expect((await everythingNow()).account?.processorCustomerId).to.equal('cus_typed');
    expect(await lastEntry()).to.deep.include({
      ...{ actor: 'operator', event: 'linked', reason: 'cus_typed: by phone' },
    });
    expect((await person.openOnce(link())).headers.location).to.equal(payments());
    const other = await person.submit(link(), { customer: 'cus_other', reason: 'x' });
    expect([other.status, other.text.includes('already linked to another customer')]).to.deep.equal([
      409,
      true,
    ]);
  });

  it('are linked to no customer of another account, and not without a customer or a reason', async () => {
    const other = await keyHolder(service());
    await rewrite(service(), other.account, (found) => ({ ...found, processorCustomerId: 'cus_taken' }));
    const person = await operator();
    await person.open(link());
    const before = await everythingNow();
    for (const [fields, status, text] of [
      [{ customer: 'cus_taken' }, 409, 'Another account already has'],
      [{ customer: ' ' }, 400, 'Customer must have 1 to 256'],
      [{ reason: '' }, 400, 'Reason must have'],
    ] as const) {
      const page = await person.submit(link(), { customer: 'cus_new', reason: 'x', ...fields });
      expect([page.status, page.text.includes(text)], text).to.deep.equal([status, true]);
      expectUsable(text, page.html);
    }
    expect((await person.post(link(), { customer: 'cus_new', reason: 'x' })).status).to.equal(403);
    expect(await everythingNow()).to.deep.equal(before);
  });
});
