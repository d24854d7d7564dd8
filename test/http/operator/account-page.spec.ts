import { expect } from 'chai';
import type { AccountId, AuditEntry } from '../../../src/domain/accounts/account.js';
import { withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import type { PaymentEvent } from '../../../src/domain/billing/payment-event.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { ALONE, processor } from '../../support/objects/account-payments.js';
import { accepted } from '../../support/objects/builders.js';
import { subscriptionEvent } from '../../support/objects/payment-events.js';
import { keyHolder, requestNews } from '../../support/service/composed.js';
import { does, operatorConsole } from '../../support/service/operator-console.js';
import { type PageAnswer, Visitor } from '../../support/service/visitor.js';

describe('The account page of the operator console', () => {
  const { service, holder, operator, home, ofKey, ofAccount, statusNow } = operatorConsole();

  it('shows the details, keys, usage and audit log of the account, each on its own page', async () => {
    const person = await operator();
    await statusNow();
    const pages = await Promise.all(
      ['', '/keys', '/usage', '/audit'].map((tab) => person.open(home() + tab)),
    );
    const page = {
      text: pages.map(({ text }) => text).join(' '),
      html: pages.map(({ html }) => html).join(' '),
    };
    const stored = await service().parts.accounts.find(holder().account);
    for (const fact of [
      stored?.email,
      stored?.subscription.id,
      holder().account,
      `${holder().key.prefix}…`,
    ]) {
      expect(page.text).to.include(fact ?? 'a fact');
    }
    expect(page.text).to.match(/Per minute 3,000 1 /);
    expect(page.text)
      .to.include('Nothing blocks this subscription. Requests are accepted.')
      .and.include('Key created')
      .and.not.include('No trial')
      .and.not.include('Unknown');
    for (const secret of [holder().value, holder().key.hash]) expect(page.html).to.not.include(secret);
  });

  it('marks a plan that the price of the subscription does not name (D27)', async () => {
    const person = await operator();
    const tell = (list: readonly PaymentEvent[]) =>
      service().parts.accounts.change(holder().account, (found) =>
        withPaymentEvents(found, list, ALONE, processor(service().clock.at)),
      );
    accepted(await tell([subscriptionEvent(0, 'active', { plan: 'builder' })]));
    expect((await person.open(home())).text).to.not.include('names no plan');
    accepted(await tell([subscriptionEvent(1, 'active')]));
    expect((await person.open(home())).text).to.match(/Plan Builder \(last known: .* names no plan\)/);
  });

  it('splits a long audit log into several pages', async () => {
    const person = await operator();
    const entry = (i: number): AuditEntry => ({
      ...{ at: service().clock.at, actor: 'test', event: 'held', key: null },
      reason: `reason number ${i}. ${'&'.repeat(400)}`,
    });
    const entries = Array.from({ length: 130 }, (_, i) => entry(i));
    accepted(await service().parts.accounts.change(holder().account, (next) => ({ next, entries })));
    const seen: string[] = [];
    let next: string | undefined = `${home()}/audit`;
    while (next !== undefined) {
      const page: PageAnswer = await person.open(next);
      expect(page.body.length, next).to.be.lessThan(100_000);
      seen.push(...[...page.text.matchAll(/reason number (\d+)\./g)].map(([, number]) => number ?? ''));
      next = /href="([^"]*\?before=\d+)"/.exec(page.html)?.[1];
    }
    expect(seen).to.deep.equal(Array.from({ length: 130 }, (_, i) => String(129 - i)));
  });

  it('escapes reasons that contain markup', async () => {
    const person = await operator();
    await does(person, ofAccount('hold'), '<script>alert(1)</script>');
    const page = await person.open(`${home()}/audit`);
    expect(page.html).to.include('&lt;script>alert');
    expect(page.html).to.not.include('<script>alert');
  });

  it('answers 404 for unknown accounts, actions and keys', async () => {
    const person = await operator();
    for (const path of [home('nobody' as AccountId), `${home()}/acts/erase`, `${home()}/keys/k/acts/hold`]) {
      expect((await person.open(path)).status, path).to.equal(404);
    }
    const stranger = await keyHolder(service());
    const path = `${home()}/keys/${stranger.key.id}/acts/revoke`;
    await person.open(home());
    expect((await person.submit(path, { reason: 'not theirs' })).status).to.equal(404);
    expect((await requestNews(service(), stranger.value)).status).to.equal(200);
  });

  it('has the requests of the account, filtered by the address', async () => {
    const person = await operator();
    for (const query of ['?limit=2', '?limit=0']) await requestNews(service(), holder().value, {}, query);
    await service().line(({ key_id, status }) => key_id === holder().key.id && status === 400);
    const listed = async (query: string) => (await person.open(`${home()}/requests${query}`)).text;
    expect(await listed(''))
      .to.include('GET /pm/v2/news?limit=2')
      .and.include('invalid_parameter');
    const failed = await listed(`?failed=1&key=${holder().key.id}`);
    expect(failed).to.include('GET /pm/v2/news?limit=0').and.not.include('limit=2');
    const stranger = await keyHolder(service());
    expect(await listed(`?key=${stranger.key.id}`)).to.include('GET /pm/v2/news?limit=2');
  });

  it('is accessible, like all pages of the console: labels, captions, heading order, unique ids', async () => {
    const person = await operator();
    const tabs = ['keys', 'usage', 'requests', 'payments', 'destinations', 'audit'].map(
      (tab) => `${home()}/${tab}`,
    );
    const paths = ['/operator', home(), ...tabs, '/operator/payment-events', ofAccount('hold')];
    for (const path of [...paths, ofKey('revoke')]) expectUsable(path, (await person.open(path)).html);
    expectUsable('the sign-in', (await new Visitor(service().url).open('/operator/sign-in')).html);
  });
});
