import { expect } from 'chai';
import sinon from 'sinon';
import { FeedFollower } from '../../../src/adapters/caching/feed-follower.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { signal as invalidation } from '../../support/service/composed.js';

describe('The feed follower', () => {
  let timers: sinon.SinonFakeTimers;
  let invalidations: MemoryInvalidations;
  let follower: FeedFollower;
  let rounds: number;
  let round: () => Promise<void>;
  let reported: unknown[];

  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    invalidations = new MemoryInvalidations();
    [rounds, reported] = [0, []];
    round = async () => {};
    const follow = () => {
      rounds += 1;
      return round();
    };
    follower = new FeedFollower({ follow }, (fault) => void reported.push(fault));
    follower.start(invalidations);
  });
  afterEach(() => {
    follower.stop();
    timers.restore();
  });

  it('updates at the start, at every feed invalidation, and every second until it is stopped', async () => {
    await timers.tickAsync(0);
    expect(rounds).to.equal(1);
    await invalidations.send({ changed: 'feed' });
    await invalidations.send({ changed: 'account', keys: [] });
    await timers.tickAsync(0);
    expect(rounds).to.equal(2);
    await timers.tickAsync(3_000);
    expect(rounds).to.equal(5);
    follower.stop();
    await timers.tickAsync(3_000);
    expect(rounds).to.equal(5);
  });

  it('runs one more update for all invalidations that arrive during an update', async () => {
    await timers.tickAsync(0);
    const release = invalidation();
    round = () => release.sent;
    for (let sent = 0; sent < 5; sent += 1) await invalidations.send({ changed: 'feed' });
    expect(rounds).to.equal(2);
    release.send();
    await timers.tickAsync(0);
    expect(rounds).to.equal(3);
  });

  it('reports any error except `Unavailable`, and continues after both', async () => {
    const bug = new Error('a bug');
    for (const fault of [new Unavailable('Postgres'), bug]) {
      round = () => Promise.reject(fault);
      await timers.tickAsync(1_000);
    }
    round = async () => {};
    await timers.tickAsync(1_000);
    expect([rounds, reported]).to.deep.equal([4, [bug]]);
  });
});
