import { expect } from 'chai';
import sinon from 'sinon';
import { LeasingCounters } from '../../../../src/adapters/caching/limits/leasing-counters.js';
import { sharedCounters } from '../../../support/copies/shared-counters.js';

const PERMITS = [{ counter: 'minute', capacity: 1_000_000, lifetimeSeconds: 60 }];
const BUSY = 50;

describe('The sweeps of leasing counters', () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });
  afterEach(() => clock.restore());

  const opened = () => {
    const { counters, calls } = sharedCounters();
    return { leasing: new LeasingCounters(counters), calls };
  };

  it('wake the process only after requests', async () => {
    const { leasing } = opened();
    expect(clock.countTimers()).to.equal(0);
    for (let times = 0; times < 2; times += 1) {
      await leasing.take(PERMITS, 1);
      expect(clock.countTimers()).to.equal(1);
      await clock.tickAsync(1_000);
      expect(clock.countTimers()).to.equal(0);
    }
  });

  it('go on until the permits of an idle subject are given back', async () => {
    const { leasing, calls } = opened();
    for (let n = 0; n < 2 * BUSY; n += 1) await leasing.take(PERMITS, 1);
    expect([calls.giveBack, clock.countTimers()]).to.deep.equal([0, 1]);
    await clock.tickAsync(2_000);
    expect([calls.giveBack, clock.countTimers()]).to.deep.equal([1, 0]);
  });

  it('do not begin again after the end', async () => {
    const { leasing } = opened();
    await leasing.close();
    await leasing.take(PERMITS, 1);
    expect(clock.countTimers()).to.equal(0);
  });
});
