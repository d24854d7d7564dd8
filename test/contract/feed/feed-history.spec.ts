import { expect } from 'chai';
import type { FeedChange } from '../../../src/application/ports/change-logs.js';
import type { StoredChange } from '../../../src/application/ports/feed/feed-history.js';
import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { FIRST_MOMENT, HOUR, LAST_MOMENT, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { PastFeed } from './adapters.js';
import { item } from './each-feed-store.js';

/** A change in short: its kind, its id, and the item that it has; '-' stands for none. */
const short = (change: StoredChange): string => {
  if (change.kind === 'start' || change.kind === 'raised') return change.kind;
  if (change.kind === 'retracted') return `retracted ${change.id}`;
  return `${change.kind} ${change.id}: ${change.item === null ? '-' : change.item.json.toString()}`;
};

const of = (id: string, text: string, scoredAt: Moment = NOON): ListedItem => ({
  ...item(id, scoredAt, 'm1', 'm2'),
  json: Buffer.from(JSON.stringify(text)),
});

/** All tests use one feed. Each begins at the newest change of the tests before it, with ids of its own. */
eachAdapter('FeedHistory', contracts.feedHistories, (instance) => {
  let past: PastFeed;
  let before: number;
  beforeEach(async () => {
    past = await instance();
    before = (await past.history.changes(0, 0)).newest.n;
  });
  const changes = async (first = before + 1, count = 100) =>
    (await past.history.changes(first, count)).changes;
  const shorts = async (first?: number, count?: number) => (await changes(first, count)).map(short);
  const publish = (...items: readonly ListedItem[]) => past.feed.publish(items, 'live');

  it('begins with the start of the log, which is no change of an item (D44)', async () => {
    const { oldest, newest, changes } = await past.history.changes(0, 1);
    expect([oldest, newest.n]).to.deep.equal([0, 0]);
    expect(changes).to.deep.equal([{ position: newest, kind: 'start' }]);
  });

  it('tells the positions of changes by their numbers, and nothing of those that it does not have', async () => {
    await publish(of('p1', 'one'), of('p2', 'two'));
    await past.feed.retract('p1');
    const { oldest, newest, changes: all } = await past.history.changes(before + 1, 10);
    const known = all.map(({ position }) => [position.n, position] as const);
    const positions = new Map(known);
    const numbers = [...positions.keys(), before + 4, before + 9];
    expect(await past.history.positionsOf(numbers)).to.deep.include({ newest, positions });
    const none = { newest, positions: new Map() };
    for (const asked of [[], [before + 4]])
      expect(await past.history.positionsOf(asked)).to.deep.include(none);
    expect(oldest).to.equal(0);
  });

  it('ends a part early once its items have the most bytes, but returns at least one change', async () => {
    await publish(of('l1', 'x'.repeat(98)), of('l2', 'x'.repeat(98)), of('l3', 'x'.repeat(98)));
    await past.feed.retract('l1');
    await publish(of('l4', 'x'.repeat(98)));
    const counts = async (bytesMax: number) =>
      (await past.history.changes(before + 1, 10, bytesMax)).changes.length;
    // Each item has 100 bytes, but the retracted one none.
    expect(await Promise.all([1, 100, 101, 200, 201, 1_000].map(counts))).to.deep.equal([2, 2, 3, 3, 5, 5]);
    const { newest } = await past.history.changes(before + 1, 10, 1);
    expect(newest.n).to.equal(before + 5);
  });

  it('returns each change with the item that it published, and with the newest position', async () => {
    const [a] = await publish(of('a', 'é山'));
    const [b] = await publish(of('b', 'b'));
    const { newest, changes } = await past.history.changes(before + 1, 10);
    const [first, last] = changes;
    expect(changes.map(({ position }) => position.n)).to.deep.equal([before + 1, before + 2]);
    expect(newest).to.deep.equal(last?.position);
    const page = await past.feed.page({
      ...{ before: null, since: null, newsId: null, marketId: null, terms: [] },
      count: 1,
    });
    expect(newest).to.deep.equal(page.position);
    const expected = (id: string, text: string, scoredAt: Moment | undefined) => ({
      ...{ kind: 'published', id, scoredAt },
      item: { ...of(id, text), scoredAt },
    });
    expect(first).to.deep.include(expected('a', 'é山', a?.scoredAt));
    expect(last).to.deep.include(expected('b', 'b', b?.scoredAt));
  });

  it('returns with each change when it became known, which never falls, and the same with its item (D59)', async () => {
    await publish(of('k1', '1'), of('k2', '2'));
    await past.feed.retract('k1');
    await past.feed.publish([of('k3', '3', plus(NOON, -HOUR / 2))], 'backfill');
    await publish(of('k2', 'again'));
    const known = (await changes()).map((change) => (change as FeedChange).knownAt ?? '');
    expect(known).to.have.length(5);
    expect(known.every((knownAt) => /^20.*Z$/.test(knownAt))).to.equal(true);
    expect(known).to.deep.equal(known.toSorted());
    const { items } = await past.history.itemsAfter(FIRST_MOMENT, 1_000);
    const own = items.filter(({ id }) => /^k/.test(id)).map(({ id, knownAt }) => [id, knownAt]);
    expect(own).to.deep.equal([
      ['k3', known[3]],
      ['k2', known[4]],
    ]);
  });

  it('returns no item for a change whose item was replaced or retracted since', async () => {
    await publish(of('replaced', 'first'), of('retracted', 'first'), of('back', 'first'));
    await publish(of('replaced', 'second'));
    await past.feed.retract('retracted');
    await past.feed.retract('back');
    await publish(of('back', 'second'));
    expect(await shorts()).to.deep.equal([
      'published replaced: -',
      'published retracted: -',
      'published back: -',
      'replaced replaced: "second"',
      'retracted retracted',
      'retracted back',
      'published back: "second"',
    ]);
  });

  it('returns both changes of an id that occurs twice in a batch, and the item with the later one', async () => {
    await publish(of('twice', 'first'), of('other', 'other'), of('twice', 'second'));
    expect(await shorts()).to.deep.equal([
      'published twice: -',
      'published other: "other"',
      'published twice: "second"',
    ]);
  });

  it('returns backfills in the order of the log', async () => {
    const old = of('old', 'first', plus(NOON, -HOUR));
    await past.feed.publish([old, of('older', 'older', plus(NOON, -2 * HOUR))], 'backfill');
    await past.feed.publish(
      [of('old', 'second', old.scoredAt), of('last', 'last', old.scoredAt)],
      'backfill',
    );
    expect(await shorts()).to.deep.equal([
      'published old: "first"',
      'published older: "older"',
      'published last: "last"',
    ]);
    const [first] = await changes();
    expect(first).to.deep.include({ scoredAt: old.scoredAt });
  });

  it('returns a raised head, with its time', async () => {
    const seen = plus(NOON, 24 * HOUR);
    await past.feed.raiseHead(seen, seen);
    const [raised, ...others] = await changes();
    expect(raised).to.deep.include({ kind: 'raised', head: seen });
    expect(others).to.deep.equal([]);
  });

  it('returns only changes in the range of numbers', async () => {
    await publish(of('r1', '1'), of('r2', '2'), of('r3', '3'), of('r4', '4'));
    const two = ['published r2: "2"', 'published r3: "3"'];
    expect(await shorts(before + 2, 2)).to.deep.equal(two);
    expect(await shorts(before + 4, 100)).to.deep.equal(['published r4: "4"']);
    for (const [first, count] of [
      [before + 2, 0],
      [before + 5, 100],
      [-100, 100],
      [-200, 100],
      [Number.MAX_SAFE_INTEGER - 100, 100],
    ] as const) {
      const { newest, changes } = await past.history.changes(first, count);
      expect(changes, `${first}, ${count}`).to.deep.equal([]);
      expect(newest.n, `${first}, ${count}`).to.equal(before + 4);
    }
    const [start] = await changes(-99, 100);
    expect(start?.kind).to.equal('start');
  });

  it('returns the items after a time, oldest first, each with the number of its last change', async () => {
    const [, , , published] = await publish(...[of('i1', '1'), of('i2', '2'), of('i3', '3'), of('i4', '4')]);
    await publish(of('i2', 'second'), of('i5', '5'));
    await past.feed.retract('i3');
    const early = of('early', 'early', plus(NOON, -3 * HOUR));
    await past.feed.publish([early], 'backfill');
    const found = async (after: Moment, count = 100) =>
      (await past.history.itemsAfter(after, count)).items.map(({ id, n }) => `${id} ${n - before}`);
    const after = (await publish(of('last', 'last')))[0]?.scoredAt ?? LAST_MOMENT;
    expect(await found(after)).to.deep.equal([]);
    expect(await found(published?.scoredAt ?? LAST_MOMENT)).to.deep.equal(['i2 5', 'i5 6', 'last 9']);
    expect(await found(published?.scoredAt ?? LAST_MOMENT, 2)).to.deep.equal(['i2 5', 'i5 6']);
    expect(await found(FIRST_MOMENT, 1)).to.deep.equal(['early 8']);
    expect(await found(plus(early.scoredAt, -1), 1)).to.deep.equal(['early 8']);
    expect(await found(LAST_MOMENT)).to.deep.equal([]);
  });

  it('ends items after a time early once they have the most bytes, but returns at least one', async () => {
    const large = (id: string) => of(id, 'x'.repeat(98));
    const [first] = await publish(large('a1'), large('a2'), large('a3'));
    const after = plus(first?.scoredAt ?? LAST_MOMENT, -1);
    const counts = async (bytesMax: number) =>
      (await past.history.itemsAfter(after, 10, bytesMax)).items.map(({ id }) => id).join(' ');
    expect(await Promise.all([1, 100, 101, 200, 201, 1_000].map(counts))).to.deep.equal([
      ...['a1', 'a1', 'a1 a2', 'a1 a2', 'a1 a2 a3', 'a1 a2 a3'],
    ]);
    const { items } = await past.history.itemsAfter(after, 2, 1_000);
    expect(items.map(({ id }) => id)).to.deep.equal(['a1', 'a2']);
  });

  it('returns items after a time whole, with their sub-markets', async () => {
    const [stored] = await publish(of('whole', 'whole'));
    const after = plus(stored?.scoredAt ?? FIRST_MOMENT, -1);
    const { items } = await past.history.itemsAfter(after, 10);
    const [change] = await changes();
    const { knownAt } = change as FeedChange;
    expect(knownAt).to.be.a('string');
    const found = { scoredAt: stored?.scoredAt, n: before + 1, knownAt };
    expect(items).to.deep.equal([{ ...of('whole', 'whole'), ...found }]);
  });

  it('returns the newest change with items after a time, also if there are none', async () => {
    await publish(of('n1', '1'));
    await past.feed.retract('n1');
    const { newest } = await past.history.changes(0, 0);
    expect(newest.n).to.equal(before + 2);
    for (const after of [FIRST_MOMENT, LAST_MOMENT])
      expect(await past.history.itemsAfter(after, 1)).to.deep.include({ newest });
  });

  it('names the oldest change that the log still has, and returns no older one', async () => {
    await publish(of('t1', '1'), of('t2', '2'), of('t3', '3'));
    await past.removeOldest(before + 2);
    const { oldest, newest, changes } = await past.history.changes(before, 3);
    expect([oldest, newest.n]).to.deep.equal([before + 2, before + 3]);
    expect(changes.map(short)).to.deep.equal(['published t2: "2"']);
    expect(await past.history.positionsOf([before + 1])).to.deep.equal({
      oldest,
      newest,
      positions: new Map(),
    });
    await past.removeOldest(100);
    const last = await past.history.changes(0, before + 4);
    expect([last.oldest, last.newest]).to.deep.equal([before + 3, newest]);
    expect(last.changes.map(short)).to.deep.equal(['published t3: "3"']);
  });
});
