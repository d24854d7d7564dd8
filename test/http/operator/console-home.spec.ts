import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import { cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { HOUR, type Moment, plus } from '../../../src/domain/moment.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { aDestination, stepOf } from '../../support/destinations/destinations.js';
import { accepted, suspendedBy } from '../../support/objects/builders.js';
import { keyHolder, requestNews, rewrite, START } from '../../support/service/composed.js';
import { does, operatorConsole } from '../../support/service/operator-console.js';

describe('The home page of the operator console', () => {
  let isSlow = false;
  const { service, holder, operator, home, ofAccount } = operatorConsole(({ accountLists }) => ({
    accountLists: () => {
      const byDay = accountLists.byDay.bind(accountLists);
      return Object.assign(accountLists, {
        byDay: async (from: Moment) => {
          if (isSlow) throw new Unavailable('Postgres', new Error('slow'));
          return byDay(from);
        },
      });
    },
  }));
  afterEach(() => {
    isSlow = false;
  });
  const event = (id: string) => ({
    ...{ id, type: 'invoice.payment_failed', at: START, customer: null, link: null },
    ...{ fact: null, fault: 'the invoice has no customer', payload: Buffer.from('{}') },
  });
  const failingDestination = async () => {
    const { destinations, heldJobs, createDestination, changeDestination } = service().parts;
    const fresh = { ...aDestination(), label: 'Broken' as Label, filter: 'q=rain' };
    const { id } = accepted(await createDestination(holder().account, fresh, 'test'));
    await changeDestination(holder().account, id, { event: 'tested' }, { actor: 'test' });
    const stored = (await destinations.find(id)) ?? expect.fail();
    await heldJobs.renew();
    const state = { status: 'failing', since: START, tries: 2, nextAt: plus(START, HOUR) } as const;
    await destinations.record(heldJobs.holder, [stepOf(stored, { state })]);
    return id;
  };

  it('shows nothing to do, the recent accounts, and no alarm for an hour without an item', async () => {
    const page = await (await operator()).open('/operator');
    expect(page.text).to.include('Needs attention Nothing.').and.include('Recent accounts');
    expect(page.html).to.include(`href="${home()}"`);
    expect(page.html).to.not.include('class="alarm"');
    expectUsable('/operator', page.html);
  });

  it('shows what needs attention with its reason, the most urgent first, and alarms as the alerts do', async () => {
    const person = await operator();
    const destination = await failingDestination();
    await service().parts.paymentEvents.receive(event('evt_console'));
    const page = await person.open('/operator');
    expect(page.text)
      .to.include('Payment event failed the invoice has no customer')
      .and.include('Destination fails Broken');
    expect(page.text.indexOf('Payment event failed')).to.be.lessThan(page.text.indexOf('Destination fails'));
    expect(page.html).to.include('href="/operator/payment-events/evt_console"');
    expect(page.html).to.match(/class="alarm"><dt><a[^>]*>Failed payment events/);
    expect(page.text).to.include('Failing destinations 1');
    expectUsable('/operator', page.html);
    const found = await person.submit('/operator', { q: destination });
    expect(found.text).to.include(holder().account);
  });

  it('lists accounts whose dunning ended, to which the tile of accounts with 402 leads', async () => {
    const person = await operator();
    expect((await person.open('/operator')).html).to.include('<dt>Accounts that get 402</dt>');
    await rewrite(service(), holder().account, (account) => ({
      ...account,
      subscription: { ...account.subscription, suspension: suspendedBy('payment_failure') },
    }));
    const page = await person.open('/operator');
    expect(page.html)
      .to.include('<a href="#dunning_ended">Accounts that get 402</a>')
      .and.match(/<tr id="dunning_ended"><th scope="row"><a href="[^"]+">Unpaid invoice: access ended/)
      .and.include(`href="${home()}"`);
    expectUsable('/operator', page.html);
  });

  it('counts the opened accounts and the ended subscriptions of each of the last 14 days', async () => {
    const person = await operator();
    const daysOf = (html: string) => html.slice(html.indexOf('id="days"'));
    const today = (html: string) =>
      [...daysOf(html).matchAll(/<td class="number">([^<]*)<\/td>/g)]
        .slice(0, 2)
        .map(([, count]) => Number(count));
    const before = await person.open('/operator');
    expect(before.text.indexOf('Accounts by day')).to.be.greaterThan(before.text.indexOf('Recent accounts'));
    expect(daysOf(before.html).match(/<th scope="row">/g)).to.have.length(14);
    await keyHolder(service());
    const { accounts, clock } = service().parts;
    const context = { actor: 'test', reason: null, at: clock() };
    await accounts.change(holder().account, (account) => cancelSubscription(account, context));
    const page = await person.open('/operator');
    const [opened = 0, canceled = 0] = today(before.html);
    expect(today(page.html)).to.deep.equal([opened + 1, canceled + 1]);
    expectUsable('/operator', page.html);
  });

  it('says that the days are not available if they cannot be counted in time, and shows the rest', async () => {
    const person = await operator();
    isSlow = true;
    const page = await person.open('/operator');
    expect(page.status).to.equal(200);
    expect(page.text)
      .to.include('Accounts by day Not available: the accounts of these days could not be counted in time.')
      .and.include('Recent accounts Open account Last opened first');
    expectUsable('/operator', page.html);
  });

  it('shows the menu of an account with its deletion apart', async () => {
    expect((await (await operator()).open(home())).html).to.match(
      /<li class="final"><a [^>]*>Delete account/,
    );
  });

  it('counts accounts whose keys get 402, and lists the largest consumers with their share of the quota', async () => {
    const person = await operator();
    for (let n = 0; n < 3; n += 1) await requestNews(service(), holder().value);
    await does(person, ofAccount('hold'), 'asked for');
    const page = await person.open('/operator');
    expect(page.text).to.match(/Accounts that get 402 [1-9]/);
    const email = (await service().parts.accounts.find(holder().account))?.email ?? '';
    const largest = page.text.slice(page.text.indexOf('Ten largest'), page.text.indexOf('Recent accounts'));
    expect(largest).to.match(new RegExp(`${email} Pro 3 0 0 0%`));
  });

  it('shows how many requests of the largest consumers limits refused, from the request log', async () => {
    const person = await operator();
    const { id } = holder().key;
    const at = service().parts.clock();
    service().parts.usage.note(id, 429, at);
    await service().parts.requestLogs.add([
      {
        ...{ key: id, at, method: 'GET', path: '/pm/v2/news', query: '', status: 429, code: 'rate_limited' },
        ...{ durationMs: 1, bytes: 1, requestId: 'r', network: '10.0.0.0/24' },
      },
    ]);
    const page = await person.open('/operator');
    const email = (await service().parts.accounts.find(holder().account))?.email ?? '';
    expect(page.text)
      .to.include(`${email} Pro 1 1 1 0%`)
      .and.include('the request log, which keeps the last 100 requests of each key');
  });
});
