import { expect } from 'chai';
import type { FollowedFeed } from '../../../src/application/ports/feed/followed-feed.js';
import { NO_MARK, type Position } from '../../../src/domain/feed/position.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { FollowedPast } from './adapters.js';
import { item } from './each-feed-store.js';

/** All tests use one feed, which two instances follow. */
eachAdapter('FollowedFeed', contracts.followedFeeds, (instance, caughtUp) => {
  let one: FollowedPast;
  let other: FollowedPast;
  beforeEach(async () => {
    one ??= await instance();
    other ??= await instance();
  });
  const publish = (...ids: readonly string[]) =>
    one.feed.publish(
      ids.map((id) => item(id)),
      'live',
    );
  const positionNow = async ({ feed }: FollowedPast): Promise<Position> =>
    (await feed.page({ before: null, since: null, newsId: null, marketId: null, terms: [], count: 1 }))
      .position;
  const other8Bytes = (position: Position): Position => ({ n: position.n, mark: 'f'.repeat(16) });

  it('has the start of the log and no head while the feed is empty', async () => {
    await caughtUp();
    const position = await positionNow(one);
    expect(one.followed.state).to.deep.equal({ position, head: null });
    expect(await one.followed.stateOf(position)).to.equal('valid');
    expect(await one.followed.stateOf(other8Bytes(position))).to.equal('expired');
    expect(await one.followed.stateOf({ n: 0, mark: NO_MARK })).to.equal('expired');
  });

  it('has the newest change and the head after it, in every instance', async () => {
    const [, last] = await publish('a', 'b');
    await caughtUp();
    const position = await positionNow(one);
    const state = { position, head: last?.scoredAt ?? null };
    expect([one.followed.state, other.followed.state]).to.deep.equal([state, state]);
    await one.feed.retract('b');
    await one.feed.publish([item('old', plus(NOON, -HOUR))], 'backfill');
    await caughtUp();
    const later = { position: await positionNow(one), head: last?.scoredAt ?? null };
    expect([one.followed.state, other.followed.state]).to.deep.equal([later, later]);
    expect(later.position).not.to.deep.equal(position);
  });

  it('tells which positions are valid (D45, D46)', async () => {
    const positions: Position[] = [];
    for (const id of ['s1', 's2', 's3']) {
      await publish(id);
      positions.push(await positionNow(one));
    }
    await one.feed.retract('s2');
    await caughtUp();
    const states = async (of: FollowedFeed, asked: readonly Position[]) =>
      Promise.all(asked.map((position) => of.stateOf(position)));
    for (const { followed } of [one, other]) {
      expect(await states(followed, positions)).to.deep.equal(['valid', 'valid', 'valid']);
      expect(await states(followed, positions.map(other8Bytes))).to.deep.equal(
        positions.map(() => 'expired'),
      );
      const ahead = { n: (await positionNow(one)).n + 1, mark: 'f'.repeat(16) };
      expect(await states(followed, [ahead])).to.deep.equal(['ahead']);
    }
  });

  it('has every change that was made before `readNow` (D46)', async () => {
    await publish('n1');
    const position = await positionNow(one);
    await Promise.all([other.followed.readNow(), other.followed.readNow()]);
    expect(await other.followed.stateOf(position)).to.equal('valid');
  });

  it('tells an instance that started later that a position is expired if its change was removed', async () => {
    const position = await positionNow(one);
    await publish('t1', 't2', 't3');
    const kept = await positionNow(one);
    await publish('t4');
    await one.removeOldest(kept.n);
    const late = await instance();
    await caughtUp();
    expect(await late.followed.stateOf(position)).to.equal('expired');
    expect(await late.followed.stateOf(kept)).to.equal('valid');
  });
});
