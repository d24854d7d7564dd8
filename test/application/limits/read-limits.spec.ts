import { expect } from 'chai';
import { readLimits } from '../../../src/application/limits/read-limits.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { accountsInMemory, aHolder, type InMemory } from '../../support/service/accounts.js';

describe('The current limits of a subscription', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });
  const reading = (counters: Counters = service.counters) =>
    readLimits({ counters, clock: () => service.clock.at, plans: PLANS });
  const failing = (fault: Error): Counters => ({
    take: () => Promise.reject(fault),
    giveBack: () => Promise.reject(fault),
  });

  it('show what is left of the minute and of the day (D33)', async () => {
    const { account, value } = await aHolder(service, 'free');
    const { requestsPerMinute, requestsPerDay } = PLANS.free;
    const admit = service.admitRequest();
    for (let i = 0; i < 3; i += 1) {
      await admit({
        key: service.keyOf(value),
        address: '192.0.2.1',
        source: '192.0.2.1',
        network: '192.0.2.0/24',
      });
    }
    const left = async () =>
      (await reading()(account.subscription))?.map(({ policy, remaining }) => [policy.name, remaining]);
    expect(await left()).to.deep.equal([
      ['minute', requestsPerMinute - 3],
      ['day', requestsPerDay - 3],
    ]);
    service.clock.at = plus(NOON, MINUTE);
    expect(await left()).to.deep.equal([
      ['minute', requestsPerMinute],
      ['day', requestsPerDay - 3],
    ]);
  });

  it('are read at no cost, however often', async () => {
    const { account } = await aHolder(service, 'free');
    const read = reading();
    const first = await read(account.subscription);
    for (let i = 0; i < 100; i += 1) expect(await read(account.subscription)).to.deep.equal(first);
    expect(first?.every(({ remaining, policy }) => remaining === policy.quota)).to.equal(true);
  });

  it('are null while the counters are unavailable, and no page fails', async () => {
    const { account } = await aHolder(service);
    expect(await reading(failing(new Unavailable('counters')))(account.subscription)).to.equal(null);
  });

  it('do not hide a bug', async () => {
    const { account } = await aHolder(service);
    const bug = new Error('bug in a script');
    const thrown = await reading(failing(bug))(account.subscription).catch((fault: unknown) => fault);
    expect(thrown).to.equal(bug);
  });
});
