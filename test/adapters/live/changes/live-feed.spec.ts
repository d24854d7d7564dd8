import { expect } from 'chai';
import { Unavailable } from '../../../../src/application/unavailable.js';
import { plus, SECOND } from '../../../../src/domain/moment.js';
import { LiveFixture, startedAt } from '../../../support/live/live-fixture.js';
import { positionIn, publishedFrom, raised, retracted } from '../../../support/live/stored-changes.js';
import { nextImmediate } from '../../../support/next-immediate.js';
import { NOON } from '../../../support/objects/builders.js';

describe('A live feed', () => {
  it('has no state before its first read, and until the head is known', async () => {
    const feed = new LiveFixture().feed;
    expect([feed.state, feed.entry(0), feed.entry(1)]).to.deep.equal([null, undefined, undefined]);
    expect(() => feed.stateOf(positionIn(0))).to.throw(Unavailable);
    feed.rebuild(positionIn(7), null);
    expect([feed.state, await feed.stateOf(positionIn(7))]).to.deep.equal([null, 'valid']);
    feed.noteHead(null);
    expect(feed.state).to.deep.equal({ position: positionIn(7), head: null });
  });

  it('has the position and the head after each change', () => {
    const feed = new LiveFixture().feed;
    const at = (n: number) => plus(NOON, n * SECOND);
    feed.rebuild(positionIn(7), at(9));
    const steps = [publishedFrom(8, 1), publishedFrom(9, 2), [retracted(11, 'i8')], [raised(12)]];
    const heads = steps.map((changes) => {
      feed.add(changes);
      return [(feed.state?.position ?? positionIn(0)).n, feed.state?.head];
    });
    expect(heads).to.deep.equal([
      [8, at(9)],
      [10, at(10)],
      [11, at(10)],
      [12, at(12)],
    ]);
  });

  it('notifies its listeners of new entries, in order, until they are removed', () => {
    const feed = new LiveFixture().feed;
    feed.rebuild(positionIn(7), NOON);
    const heard: (readonly number[])[] = [];
    const remove = feed.onEntries((entries) => heard.push(entries.map(({ n }) => n)));
    const found: unknown[] = [];
    feed.onEntries(([first]) => found.push(first === undefined ? first : feed.entry(first.n) === first));
    feed.add(publishedFrom(8, 3));
    feed.add([]);
    feed.add(publishedFrom(11, 1));
    remove();
    feed.add(publishedFrom(12, 1));
    expect(heard).to.deep.equal([[8, 9, 10], [11]]);
    expect(found).to.deep.equal([true, true, true]);
    expect(feed.entry(12)).to.include({ n: 12, at: 5 });
  });

  it('returns entries of the window at once, older ones from blocks, and none that it has not applied', async () => {
    const live = await startedAt(250);
    await live.publish(251, 3);
    live.follow();
    expect(live.feed.entry(252)).to.include({ n: 252 });
    expect(live.feed.entry(254)).to.equal(undefined);
    expect(live.reads).to.deep.equal([]);
    expect(await Promise.all([1, 199, 0, 250].map((n) => live.found(n)))).to.deep.equal([1, 199, -0, 250]);
    expect(live.feed.entry(150)).to.include({ n: 150 });
    expect(live.reads).to.have.members(['1+100', '101+100', '-99+100', '201+53']);
  });

  it('supersedes changes in blocks too', async () => {
    const live = await startedAt(250);
    expect(await live.found(150)).to.equal(150);
    await live.store.retract('i150');
    await live.publish(151, 1, 'again');
    live.follow();
    expect(await Promise.all([150, 151, 152].map((n) => live.found(n)))).to.deep.equal([-150, -151, 152]);
    expect(live.reads).to.have.length(1);
  });

  it('supersedes changes in a block whose read began before the change', async () => {
    const live = await startedAt(250);
    live.afterRead = async () => {
      live.afterRead = () => {};
      await live.store.retract('i150');
      live.follow();
    };
    expect(await live.found(150)).to.equal(-150);
    expect(await live.found(151)).to.equal(151);
  });

  it('reads each block once for 5 000 callers, two at a time', async () => {
    const live = await startedAt(5_000);
    let running = 0;
    let most = 0;
    const changes = live.store.withItems.bind(live.store);
    live.store.withItems = (all) => {
      running += 1;
      most = Math.max(most, running);
      return changes(all);
    };
    live.afterRead = async () => {
      await nextImmediate();
      running -= 1;
    };
    const numbers = Array.from({ length: 5_000 }, (_, i) => ((i * 7_919) % 5_000) + 1);
    expect(await Promise.all(numbers.map((n) => live.found(n)))).to.deep.equal(numbers);
    expect(live.reads).to.have.length(50);
    expect(most).to.equal(2);
  });

  it('tells that a change is gone, without another read once it knows the oldest one', async () => {
    const live = await startedAt(250);
    live.store.log.removeOldest(150);
    expect(await Promise.all([101, 149, 150, 151].map((n) => live.found(n)))).to.deep.equal([
      ...['gone', 'gone', 150, 151],
    ]);
    const { length } = live.reads;
    expect([live.feed.entry(5), live.feed.entry(149)]).to.deep.equal(['gone', 'gone']);
    expect(live.reads).to.have.length(length);
  });
});

describe('The state of a position in a live feed (D45, D46)', () => {
  it('is known at once in the window, and costs one look-up below it, for all that ask for it', async () => {
    const live = await startedAt(250);
    await live.publish(251, 2);
    live.follow();
    const states = [250, 251, 252].map((n) => live.feed.stateOf(live.positionOf(n)));
    expect(states.slice(1)).to.deep.equal(['valid', 'valid']);
    const again = live.feed.stateOf(live.positionOf(250));
    expect(await Promise.all([states[0], again])).to.deep.equal(['valid', 'valid']);
    expect(await live.feed.stateOf(live.positionOf(0))).to.equal('valid');
    expect(live.reads).to.deep.equal(['positions 250', 'positions 0']);
  });

  it('is expired for another mark and for a removed change, and ahead above the newest change', async () => {
    const live = await startedAt(250);
    const removed = live.positionOf(100);
    live.store.log.removeOldest(150);
    for (const [position, state] of [
      [removed, 'expired'],
      [positionIn(200), 'expired'],
      [positionIn(250), 'expired'],
      [positionIn(251), 'ahead'],
      [live.positionOf(150), 'valid'],
    ] as const)
      expect(await live.feed.stateOf(position)).to.equal(state);
  });
});
