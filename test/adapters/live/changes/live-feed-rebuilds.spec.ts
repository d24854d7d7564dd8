import { expect } from 'chai';
import { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import { MemoryFeedStore } from '../../../../src/adapters/memory/feed/memory-feed-store.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import { NO_MARK } from '../../../../src/domain/feed/position.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { type LiveFixture, startedAt } from '../../../support/live/live-fixture.js';
import { nextImmediate } from '../../../support/next-immediate.js';
import { NOON } from '../../../support/objects/builders.js';
import { unavailability } from '../../../support/service/faults.js';

/** Gives the fixture another log, with `count` changes and other marks. */
async function returnTo(live: LiveFixture, count: number): Promise<void> {
  live.store = new MemoryFeedStore();
  await live.publish(1, count);
}

describe('A live feed whose store returned to an older state (D45)', () => {
  it('drops the changes of window and blocks, and asks its listeners to check their positions', async () => {
    const live = await startedAt(250);
    await live.publish(251, 2);
    live.follow();
    const [inWindow, inBlock] = [live.positionOf(251), live.positionOf(150)];
    await live.found(150);
    const states: unknown[] = [];
    live.feed.onRebuild(() => states.push([(live.feed.state?.position ?? inBlock).n, live.feed.entry(251)]));
    await returnTo(live, 200);
    live.feed.rebuild(live.store.state.position, plus(NOON, HOUR));
    expect(states).to.deep.equal([[200, undefined]]);
    expect(live.feed.state).to.deep.equal({ position: live.positionOf(200), head: plus(NOON, HOUR) });
    expect(await live.feed.stateOf(inWindow)).to.equal('ahead');
    expect(await live.feed.stateOf(inBlock)).to.equal('expired');
    expect(await live.feed.stateOf(live.positionOf(150))).to.equal('valid');
    await live.publish(201, 60);
    live.follow();
    expect(await live.feed.stateOf(inWindow)).to.equal('expired');
    expect(live.feed.entry(251)).to.deep.include({ position: live.positionOf(251) });
  });

  it('knows again the oldest changes, which the log may have again', async () => {
    const live = await startedAt(250);
    live.store.log.removeOldest(200);
    expect(await live.found(150)).to.equal('gone');
    await returnTo(live, 250);
    live.rebuild();
    expect(await live.found(150)).to.equal(150);
  });

  it('returns no change from the log of the older state before it was rebuilt', async () => {
    const live = await startedAt(250);
    await returnTo(live, 400);
    const rebuilds: string[] = [];
    live.feed.onRebuild(() => rebuilds.push('rebuilt'));
    live.onReadNow = () => live.rebuild();
    const entry = await live.feed.entry(150);
    expect(rebuilds).to.deep.equal(['rebuilt']);
    expect(entry).to.deep.include({ position: live.positionOf(150) });
    // Once before the rebuild, and again after it.
    expect(live.reads).to.deep.equal(['101+100', '101+100']);
  });

  it('throws while it cannot find out whether its store has returned to an older state', async () => {
    const live = await startedAt(250);
    const old = live.store;
    await returnTo(live, 400);
    live.onReadNow = () => {
      throw new Unavailable('the change logs');
    };
    await unavailability(live.found(150));
    await unavailability(Promise.resolve(live.feed.stateOf(live.positionOf(150))));
    live.store = old;
    expect(await live.found(150)).to.equal(150);
  });

  it('returns no changes that were read before the rebuild', async () => {
    const live = await startedAt(250);
    let answer: () => void = () => {};
    live.afterRead = () =>
      new Promise((done) => {
        answer = done;
      });
    const reading = live.feed.entry(150);
    await nextImmediate();
    await returnTo(live, 300);
    live.rebuild();
    live.afterRead = () => {};
    answer();
    expect(await reading).to.deep.include({ position: live.positionOf(150) });
  });

  it('returns nothing for a change that the older state does not have', async () => {
    const live = await startedAt(250);
    await returnTo(live, 100);
    live.onReadNow = () => live.rebuild();
    expect(await live.feed.entry(150)).to.equal(undefined);
    expect(await live.feed.entry(50)).to.be.instanceOf(ChangeEntry);
  });
});

describe('A live feed whose log is read from a server that lags behind', () => {
  it('throws, because the server may still have items that were retracted', async () => {
    const live = await startedAt(250);
    const { store } = live;
    await returnTo(live, 249);
    live.onReadNow = () => {};
    await unavailability(live.found(150));
    live.store = store;
    expect(await live.found(150)).to.equal(150);
  });

  it('returns changes if the log has newer ones that were not applied yet', async () => {
    const live = await startedAt(250);
    await live.publish(251, 5);
    expect(live.feed.entry(251)).to.equal(undefined);
    expect(await live.found(150)).to.equal(150);
    expect(await live.found(251)).to.equal(251);
  });
});

describe('A live feed whose log was read with newer changes, which are lost then (D45)', () => {
  it('throws, because items may have been missing for those changes', async () => {
    const live = await startedAt(250);
    const { store } = live;
    const positions = store.log.range(0, 251).map(({ position }) => position);
    live.store = new MemoryFeedStore(() => positions.shift()?.mark ?? NO_MARK);
    await live.publish(1, 250);
    expect(live.store.state).to.deep.equal(store.state);
    await live.publish(150, 1, 'replaced');
    live.afterRead = () => {
      live.store = store;
    };
    await unavailability(live.found(150));
    expect(await live.found(150)).to.equal(150);
  });
});
