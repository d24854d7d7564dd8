import { expect } from 'chai';
import { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import { MemoryFeedStore } from '../../../../src/adapters/memory/feed/memory-feed-store.js';
import { LiveFixture, startedAt } from '../../../support/live/live-fixture.js';
import { nextImmediate } from '../../../support/next-immediate.js';

const MEGABYTE = 1_000_000;

/** The number of the oldest change that the window has, found without a read. */
const oldestInWindow = ({ feed, store }: LiveFixture): number => {
  let n = store.log.range(0, 100_000).length;
  while (feed.entry(n - 1) instanceof ChangeEntry) n -= 1;
  return n;
};

describe('A live feed that is filled', () => {
  it('has the newest 2 000 changes before the first stream opens', async () => {
    const live = await startedAt(3_000);
    await live.feed.fill();
    expect(live.reads).to.have.length(20);
    expect(live.reads[0]).to.equal('2901+100');
    expect(await Promise.all([1_001, 2_000, 3_000].map((n) => live.found(n)))).to.deep.equal([
      ...[1_001, 2_000, 3_000],
    ]);
    expect(live.reads).to.have.length(20);
    expect(oldestInWindow(live)).to.equal(1_001);
  });

  it('has the start of a log with fewer changes', async () => {
    const live = await startedAt(150);
    await live.feed.fill();
    expect(oldestInWindow(live)).to.equal(0);
    expect(live.reads).to.deep.equal(['51+100', '-49+100']);
    expect(live.feed.stateOf(live.positionOf(0))).to.equal('valid');
  });

  it('has all changes of a log that was trimmed', async () => {
    const live = await startedAt(150);
    live.store.log.removeOldest(70);
    await live.feed.fill();
    expect(oldestInWindow(live)).to.equal(70);
    expect(live.feed.entry(69)).to.equal('gone');
  });

  it('fills about half of its bytes', async () => {
    const live = new LiveFixture({ windowBytes: MEGABYTE });
    await live.publish(1, 1_000, 'x'.repeat(1_000));
    live.rebuild();
    await live.feed.fill();
    expect(oldestInWindow(live)).to.be.within(500, 701);
  });

  it('fills about half of its bytes with large items too, by smaller reads', async () => {
    const live = new LiveFixture();
    await live.publish(1, 150, 'x'.repeat(200_000));
    live.rebuild();
    await live.feed.fill();
    expect(live.reads.slice(0, 3)).to.deep.equal(['51+100', '141+10', '131+10']);
    expect(oldestInWindow(live)).to.be.within(61, 80);
  });

  it('supersedes a change that is read back if it changed again meanwhile', async () => {
    const live = await startedAt(300);
    live.afterRead = async () => {
      live.afterRead = () => {};
      await live.store.retract('i250');
      await live.publish(150, 1, 'again');
      live.follow();
    };
    await live.feed.fill();
    expect(oldestInWindow(live)).to.equal(0);
    expect(await Promise.all([150, 250, 251, 302].map((n) => live.found(n)))).to.deep.equal([
      ...[-150, -250, 251, 302],
    ]);
  });

  it('stops if the store has returned to an older state meanwhile', async () => {
    const live = await startedAt(3_000);
    live.afterRead = async () => {
      live.afterRead = () => {};
      live.store = new MemoryFeedStore();
      await live.publish(1, 200);
      live.rebuild();
    };
    await live.feed.fill();
    expect(live.reads).to.have.length(1);
    expect(await live.found(200)).to.equal(200);
  });

  it('waits for the head', async () => {
    const live = new LiveFixture();
    await live.publish(1, 10);
    live.feed.rebuild(live.store.state.position, null);
    let isFilled = false;
    const filling = live.feed.fill().then(() => {
      isFilled = true;
    });
    for (let i = 0; i < 10; i += 1) await nextImmediate();
    expect(isFilled).to.equal(false);
    live.feed.noteHead(live.store.state.head);
    await filling;
    expect(live.feed.state?.head).to.equal(live.store.state.head);
  });

  it('does nothing while the store is unavailable, or before its first read', async () => {
    const live = await startedAt(300);
    live.isDown = true;
    await live.feed.fill();
    expect(live.reads).to.have.length(1);
    live.isDown = false;
    expect(await live.found(250)).to.equal(250);
    const early = new LiveFixture();
    await early.feed.fill();
    expect(early.reads).to.deep.equal([]);
  });
});
