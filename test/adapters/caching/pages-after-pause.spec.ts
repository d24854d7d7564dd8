import { expect } from 'chai';
import { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { FeedCopy } from '../../../src/adapters/caching/feed/feed-copy.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryChangeLogs } from '../../../src/adapters/memory/memory-change-logs.js';
import type { LogPositions } from '../../../src/application/ports/change-logs.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { FakePauses } from '../../support/copies/fake-pauses.js';
import { ALONE } from '../../support/copies/followed-feed.js';
import { InterceptedStore } from '../../support/copies/intercepted-store.js';
import { hotFeed } from '../../support/copies/joined-feed.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { EVERYTHING, item } from '../../support/objects/listed-items.js';

/** A call that waits until a test lets it go on, or fail. */
function held() {
  let [goOn, fail]: [() => void, (fault: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((done, reject) => {
    [goOn, fail] = [done, reject];
  });
  return { promise, goOn, fail };
}

/** A request need not have waited for its key before: a key without a copy is looked up in the store. */
describe('The first page after a pause of the process (T17)', () => {
  let follower: ChangeFollower;
  afterEach(() => follower.close());

  /** A feed whose copy lacks an item that was published in a pause of a minute. The reads of the logs wait for `answer`. */
  async function afterPause() {
    const feed = new InterceptedStore();
    await feed.publish([item('a', 1)], 'live');
    const memoryLogs = new MemoryChangeLogs(new MemoryAccounts(), feed.store);
    const [clock, pauses] = [{ ms: 0 }, new FakePauses()];
    let reading: Promise<void> = Promise.resolve();
    const logs = {
      newest: () => memoryLogs.newest(),
      readAfter: async (positions: LogPositions) => {
        await reading;
        return memoryLogs.readAfter(positions);
      },
    };
    const copy = new FeedCopy(feed, feed, { max: 10 });
    const now = () => clock.ms;
    follower = new ChangeFollower({
      ...{ logs, now, pauses, isStoreAway: () => false },
      ...{ onOlderState: () => expect.fail('it has no older state'), report: () => {} },
    });
    follower.keep({
      apply: (changes) => copy.apply(changes.feed),
      rebuild: (position) => copy.rebuild(position),
    });
    await follower.start();
    await follower.readNow();
    await copy.updated();
    const hot = hotFeed(feed, copy, follower, { ...ALONE, now });
    expect(hot.page(EVERYTHING)).to.equal(copy.page(EVERYTHING));
    await feed.publish([item('b', 2)], 'live');
    const read = held();
    const found = held();
    reading = read.promise;
    feed.find = async (ids) => {
      await found.promise;
      return feed.store.find(ids);
    };
    clock.ms = 60_000;
    pauses.wake(clock.ms);
    const shown = async () => (await hot.page(EVERYTHING)).items.map(({ id }) => id);
    return { shown, copy, answer: read.goOn, fail: read.fail, foundItems: found.goOn };
  }

  it('waits for the read of the logs, and has what was published in the pause', async () => {
    const { shown, answer } = await afterPause();
    let isAnswered = false;
    const page = shown().finally(() => {
      isAnswered = true;
    });
    await nextImmediate();
    expect(isAnswered).to.equal(false);
    answer();
    expect(await page).to.deep.equal(['b', 'a']);
  });

  it('has it also before the copy has the items of the changes', async () => {
    const { shown, copy, answer, foundItems } = await afterPause();
    answer();
    await follower.untilCurrent();
    expect(copy.page(EVERYTHING)?.items).to.have.length(1);
    expect(await shown()).to.deep.equal(['b', 'a']);
    foundItems();
    await copy.updated();
    expect(copy.page(EVERYTHING)?.items).to.have.length(2);
  });

  it('has it also if the logs cannot be read', async () => {
    const { shown, fail } = await afterPause();
    const page = shown();
    fail(new Unavailable('the change logs'));
    expect(await page).to.deep.equal(['b', 'a']);
  });
});
