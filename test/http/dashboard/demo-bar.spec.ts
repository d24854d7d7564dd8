import { expect } from 'chai';
import { type Composed, composed, keyHolder } from '../../support/service/composed.js';
import { visitorOf } from '../../support/service/visitor.js';

describe('The buttons of the demo', () => {
  let service: Composed;
  before(async () => {
    service = await composed({ TEST_CLOCK: '1' }, () => ({ fakePayments: () => async () => [] }));
  });
  after(() => service.stop());

  it('say that the clock is moved for every account and every visitor', async () => {
    const visitor = await visitorOf(service, (await keyHolder(service)).account);
    const { text } = await visitor.open('/dashboard/keys');
    expect(text).to.include('14 days pass').and.include('one clock for every account and every visitor');
  });
});
