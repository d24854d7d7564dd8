import { expect } from 'chai';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import { type Composed, composed, keyHolder, requestNews, rewrite } from '../../support/service/composed.js';

/** During an update, a later version can give an account a plan that this version does not know. */
describe('An account with the plan of a later version', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  it('gets 503 `unavailable` with one line in the log, and nothing else of it changes', async () => {
    const { value, account } = await keyHolder(service);
    const withPlan = (plan: PlanName) =>
      rewrite(service, account, (found) => ({ ...found, subscription: { ...found.subscription, plan } }));
    await withPlan('team' as PlanName);
    const answer = await requestNews(service, value);
    expect([answer.status, answer.json().code]).to.deep.equal([503, 'unavailable']);
    const lines = service.lines.filter(({ msg }) => msg === 'a request failed');
    expect(lines.map(({ level, err }) => [level, (err as { message: string }).message])).to.deep.equal([
      [40, 'this version does not know the plan team: update every instance'],
    ]);
    await withPlan('pro');
    expect((await requestNews(service, value)).status).to.equal(200);
  });
});
