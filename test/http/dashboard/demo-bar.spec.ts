import { expect } from 'chai';
import { type Composed, composed, keyHolder } from '../../support/service/composed.js';
import { visitorOf } from '../../support/service/visitor.js';

describe('The controls of the demo', () => {
  let service: Composed;
  before(async () => {
    service = await composed({ TEST_CLOCK: '1' }, () => ({ fakePayments: () => async () => [] }));
  });
  after(() => service.stop());

  it('say that all accounts and visitors share one clock', async () => {
    const visitor = await visitorOf(service, (await keyHolder(service)).account);
    const { text } = await visitor.open('/dashboard/keys');
    expect(text).to.include('Advance 14 days').and.include('all visitors of this demo share one clock');
  });
});
