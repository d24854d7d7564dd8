import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { accepted } from '../../support/objects/builders.js';
import { requestNews } from '../../support/service/composed.js';
import { operatorConsole } from '../../support/service/operator-console.js';

const PATH = '/operator/plans';

describe('The page of plans', () => {
  let isSlow = false;
  const { service, holder, operator, home, everythingNow } = operatorConsole(({ accountLists }) => ({
    accountLists: () => ({
      ...accountLists,
      newest: (count) => accountLists.newest(count),
      refused: (count) => accountLists.refused(count),
      suspectedOfAbuse: (count) => accountLists.suspectedOfAbuse(count),
      dunningEnded: (count) => accountLists.dunningEnded(count),
      dunningDueBy: (until, count) => accountLists.dunningDueBy(until, count),
      byDay: (from) => accountLists.byDay(from),
      largest: (from, count) => accountLists.largest(from, count),
      onPlan: (plan, count) => accountLists.onPlan(plan, count),
      listingMoreKeys: (plan, keys, count) => accountLists.listingMoreKeys(plan, keys, count),
      busiest: async (days, count) => {
        if (isSlow) throw new Unavailable('Postgres', new Error('slow'));
        return accountLists.busiest(days, count);
      },
    }),
  }));
  afterEach(() => {
    isSlow = false;
  });

  it('shows the limits of the settings, and the number of accounts on each plan', async () => {
    const person = await operator();
    const page = await person.open(PATH);
    expect(page.text).to.include('Pro – 3,000 1,000,000 5 25 25').and.include('Free – 60 5,000 1 1 1 0');
    expectUsable('plans', page.html);
    expect(page.text).to.include('Accounts above a new limit').and.not.include('keys in use.');
  });

  it('shows whom a lower limit would concern, and changes nothing', async () => {
    accepted(await service().parts.issueKey(holder().account, null, 'test'));
    for (let n = 0; n < 3; n += 1) await requestNews(service(), holder().value);
    const before = await everythingNow();
    const person = await operator();
    const page = await person.open(`${PATH}?plan=pro&keys=1&day=2`);
    expect(page.text).to.include('Keys in use: more than 1 1 account.');
    expect(page.text).to.include('Requests on one day: more than 2 1 account.');
    expect(page.html.split(`href="${home()}"`)).to.have.length(3);
    expectUsable('above a limit', page.html);
    const none = await person.open(`${PATH}?plan=pro&keys=2&day=3`);
    expect(none.html).not.to.include(`href="${home()}"`);
    expect((await person.open(`${PATH}?plan=free&keys=0`)).text).to.include('0 accounts.');
    expect(await everythingNow()).to.deep.equal(before);
  });

  it('answers 400 for a limit that is no number, and without requests while they cannot be added up in time', async () => {
    const person = await operator();
    for (const query of ['plan=pro&keys=-1', 'plan=pro&day=many', 'plan=pro&keys=<b>']) {
      const page = await person.open(`${PATH}?${query}`);
      expect([page.status, page.text.includes('must be a whole number')], query).to.deep.equal([400, true]);
      expect(page.html).not.to.include('<b>');
    }
    const { value } = holder();
    expect((await person.open(`${PATH}?plan=pro&keys=${value}&day=${value}`)).html).not.to.include(value);
    expect((await person.open(`/operator/purges?id=${value}`)).html).not.to.include(value);
    expect((await person.open(`${PATH}?plan=gold&keys=1`)).status).to.equal(200);
    isSlow = true;
    const slow = await person.open(`${PATH}?plan=pro&keys=0&day=2`);
    expect([slow.status, slow.text.includes('could not be counted in time')]).to.deep.equal([200, true]);
  });
});
