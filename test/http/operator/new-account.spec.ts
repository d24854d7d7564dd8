import { expect } from 'chai';
import { expectUsable } from '../../support/browser/usable-page.js';
import { operatorConsole } from '../../support/service/operator-console.js';

const PATH = '/operator/new-account';

describe('The page that opens an account', () => {
  const { service, operator } = operatorConsole();
  const found = (email: string) => service().parts.accounts.findByEmail(email);

  it('opens it with its plan, and records the operator and the reason (D25)', async () => {
    const person = await operator();
    const home = await person.open('/operator');
    expect(home.html).to.include(`href="${PATH}"`);
    expectUsable('open account', (await person.open(PATH)).html);
    const sent = { email: ' Opened@Example.org ', plan: 'pro', reason: 'a contract\r\nof 2026' };
    const page = await person.submit(PATH, sent);
    expect(page.text).to.include('The account is open.').and.include('opened@example.org').and.include('Pro');
    const account = await found('opened@example.org');
    expect(account?.subscription.plan).to.equal('pro');
    const [entry] = account === null ? [] : await service().parts.accounts.auditOf(account.id);
    expect([entry?.event, entry?.actor, entry?.reason]).to.deep.equal([
      ...['opened', 'operator', 'a contract\nof 2026'],
    ]);
  });

  it('links the account that has the address already, and opens none', async () => {
    const person = await operator();
    await person.open(PATH);
    const sent = { email: 'taken@example.org', plan: 'free', reason: 'first' };
    await person.submit(PATH, sent);
    const account = await found('taken@example.org');
    await person.open(PATH);
    const again = await person.submit(PATH, {
      ...sent,
      email: 'TAKEN@example.org',
      plan: 'pro',
      reason: 'b',
    });
    expect(again.status).to.equal(409);
    expect(again.html).to.include(`href="/operator/accounts/${account?.id}"`);
    expect(again.html)
      .to.include('value="taken@example.org"'.replace('taken', 'TAKEN'))
      .and.include('>b</textarea>');
    expect(again.html).to.match(/<option selected value="pro"|<option value="pro" selected/);
    expect(await found('taken@example.org')).to.deep.equal(account);
  });

  it('opens none without an address, a plan or a reason, and shows what was typed', async () => {
    const person = await operator();
    await person.open(PATH);
    const complete = { email: 'none@example.org', plan: 'free', reason: 'x' };
    for (const [fields, text] of [
      [{ email: 'not an <address>' }, 'This is not an email address.'],
      [{ plan: 'gold' }, 'Choose one of the plans.'],
      [{ plan: 'constructor' }, 'Choose one of the plans.'],
      [{ reason: ' ' }, 'Reason must have 1 to 500 characters'],
    ] as const) {
      const page = await person.submit(PATH, { ...complete, ...fields });
      expect([page.status, page.text.includes(text)], text).to.deep.equal([400, true]);
      expect(page.html).not.to.include('<address>');
      expectUsable(text, page.html);
    }
    await person.post(PATH, complete);
    expect(await found('none@example.org')).to.equal(null);
  });

  it('redacts a key in the address and in the reason (D19)', async () => {
    const person = await operator();
    await person.open(PATH);
    const value = `svc_${'a'.repeat(42)}A`;
    const page = await person.submit(PATH, { email: value, plan: 'free', reason: value });
    expect(page.status).to.equal(400);
    expect(page.html).not.to.include(value);
  });
});
