import { expect } from 'chai';
import fc from 'fast-check';
import type { HistoryChange, PastItem } from '../../../src/application/ports/feed/feed-past.js';
import type { FeedRange, ListedItem, PurgeOrder } from '../../../src/application/ports/feed/feed-store.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import type { AsOf, PastPoint } from '../../../src/domain/feed/history/as-of.js';
import type { Position } from '../../../src/domain/feed/position.js';
import { startOfMinute } from '../../../src/domain/feed/publication-record.js';
import {
  FIRST_MOMENT,
  HOUR,
  LAST_MOMENT,
  MICROSECOND,
  type Moment,
  plus,
} from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { KnownFeed } from './adapters.js';
import { EVERYTHING } from './each-feed-store.js';

const MANY = Number.MAX_SAFE_INTEGER;
const ORDER: PurgeOrder = { actor: 'operator', reason: 'a test' as Reason };
const RUNS = process.env.DEEP === '1' ? 60 : 8;

const of = (
  id: string,
  text: string,
  scoredAt: Moment = NOON,
  markets: readonly string[] = ['m1', 'm2'],
): ListedItem => ({
  id,
  scoredAt,
  json: Buffer.from(JSON.stringify(`${id} ${text}`)),
  subMarketIds: markets,
});

const textOf = ({ item }: Pick<PastItem, 'item'>): string =>
  item === null ? 'purged' : item.json.toString();

/** A change in short: its number after a position, kind, revision and body. */
const short = (change: HistoryChange, before: number): string => {
  const item = 'item' in change ? change.item : null;
  const body = item === null ? '' : `: ${typeof item === 'string' ? item : item.json}`;
  return `${change.position.n - before} ${change.kind} ${change.id} ${change.revision}${body}`;
};

/** All tests use one feed. Each begins at the newest change of the tests before it, with ids of its own. */
eachAdapter('FeedPast', contracts.feedPasts, (instance) => {
  let known: KnownFeed;
  let before: Position;
  const newest = async () => (await known.feed.page({ ...EVERYTHING, count: 1 })).position;
  beforeEach(async () => {
    known = await instance();
    before = await newest();
  });
  const publish = (...items: readonly ListedItem[]) => known.feed.publish(items, 'live');
  const backfill = (...items: readonly ListedItem[]) => known.feed.publish(items, 'backfill');
  const at = async (asOf: AsOf): Promise<PastPoint> => {
    const { point } = await known.past.find(asOf);
    if (point === null) throw new Error('the log has no such change');
    return point;
  };
  const atNumber = (n: number) => at({ by: 'position', position: { n, mark: '' } });
  const pageAt = async (n: number, range: Partial<FeedRange> = {}) =>
    (await known.past.page({ ...EVERYTHING, ...range }, await atNumber(n))).map(textOf);
  const changes = async (after = before.n, until = MANY, count = 1_000, bytes = MANY) =>
    known.past.changes({ after, until, newsId: null, count, bytesMax: bytes });
  const shorts = async () => (await changes()).changes.map((change) => short(change, before.n));

  it('begins at the newest change when the history was installed', async () => {
    const { start } = await known.past.find({ by: 'time', time: FIRST_MOMENT });
    expect(start.position.n).to.equal(0);
    const none = await known.past.find({ by: 'time', time: plus(start.knownAt, -MICROSECOND) });
    expect(none.point).to.equal(null);
    expect((await known.past.find({ by: 'position', position: { n: MANY, mark: '' } })).point).to.equal(null);
  });

  it('finds a change by its number and by the time at which it became known, with the head after it', async () => {
    const [a] = await publish(of('f1', 'one'));
    const first = await newest();
    await backfill(of('f2', 'two', plus(NOON, -HOUR)));
    const second = await newest();
    const points = [await atNumber(first.n), await atNumber(second.n)] as const;
    expect(points.map(({ position }) => position)).to.deep.equal([first, second]);
    expect(points.map(({ head }) => head)).to.deep.equal([a?.scoredAt, a?.scoredAt]);
    expect(points[0].knownAt <= points[1].knownAt).to.equal(true);
    for (const time of [points[1].knownAt, LAST_MOMENT])
      expect((await at({ by: 'time', time })).position).to.deep.equal(second);
    if (points[0].knownAt < points[1].knownAt)
      expect((await at({ by: 'time', time: points[0].knownAt })).position).to.deep.equal(first);
  });

  it('counts the items that were published or replaced, by the minute in which each became known', async () => {
    await publish(of('k1', 'one'), of('k2', 'two'));
    await publish(of('k1', 'new'));
    await known.feed.retract('k2');
    const own = (await changes()).changes.filter(({ kind }) => kind === 'published' || kind === 'replaced');
    const starts = own.map(({ knownAt }) => startOfMinute(knownAt));
    const counts = new Map(
      (await known.past.publishedPerMinute(FIRST_MOMENT)).map(({ start, published }) => [start, published]),
    );
    for (const start of starts) {
      const atLeast = starts.filter((one) => one === start).length;
      expect(counts.get(start)).to.be.at.least(atLeast);
    }
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const all = (await changes(0)).changes.filter(({ kind }) => kind === 'published' || kind === 'replaced');
    expect(total).to.equal(all.length);
    expect(await known.past.publishedPerMinute(plus(starts.at(-1) ?? NOON, HOUR))).to.deep.equal([]);
  });

  it('shows a replaced item with the bytes and the time that it had', async () => {
    await publish(of('r1', 'old'), of('r2', 'other'));
    const then = await known.feed.page(EVERYTHING);
    await publish(of('r1', 'new'));
    await known.feed.retract('r2');
    const point = await atNumber(then.position.n);
    const past = await known.past.page(EVERYTHING, point);
    expect(past.map(({ item }) => item)).to.deep.equal(then.items);
    expect(point.head).to.equal(then.head);
  });

  it('shows no backfill that was added later', async () => {
    await publish(of('b1', 'live'));
    const n = (await newest()).n;
    const whole = await pageAt(n);
    await backfill(of('b2', 'late', plus(NOON, -HOUR)));
    expect(await pageAt(n)).to.deep.equal(whole);
    expect(await pageAt(n + 1)).to.include('"b2 late"');
  });

  it('tells every version in the order of the log, with revisions that count retractions', async () => {
    await publish(of('h1', 'a'));
    await publish(of('h1', 'b'), of('h2', 'x'));
    await known.feed.retract('h1');
    await publish(of('h1', 'c'));
    expect(await shorts()).to.deep.equal([
      '1 published h1 1: "h1 a"',
      '2 replaced h1 2: "h1 b"',
      '3 published h2 1: "h2 x"',
      '4 retracted h1 3',
      '5 published h1 4: "h1 c"',
    ]);
  });

  it('tells of an id that occurs twice in a publication only the last version', async () => {
    await publish(of('t1', 'a'), of('t2', 'x'), of('t1', 'b'));
    await publish(of('t1', 'c'), of('t1', 'd'));
    expect(await shorts()).to.deep.equal([
      '2 published t2 1: "t2 x"',
      '3 published t1 1: "t1 b"',
      '5 replaced t1 2: "t1 d"',
    ]);
  });

  it('reads no change of another id for the versions of one', async () => {
    await publish(of('v1', 'a'), of('v2', 'x'));
    await publish(of('v1', 'b'), of('v3', 'y'));
    await known.feed.retract('v1');
    const range = { after: before.n, until: MANY, newsId: 'v1', bytesMax: MANY };
    const { changes: all, read, last } = await known.past.changes({ ...range, count: 10 });
    expect(all.map((change) => short(change, before.n))).to.deep.equal([
      '1 published v1 1: "v1 a"',
      '3 replaced v1 2: "v1 b"',
      '5 retracted v1 3',
    ]);
    expect([read, last]).to.deep.equal([3, await newest()]);
    const two = await known.past.changes({ ...range, count: 2 });
    expect([two.read, two.last?.n]).to.deep.equal([2, before.n + 3]);
    expect((await known.past.changes({ ...range, newsId: 'v9', count: 10 })).read).to.equal(0);
  });

  it('gives a retraction the time of its item, and leaves a raised head out', async () => {
    const [item] = await publish(of('x1', 'a'));
    await known.feed.retract('x1');
    await known.feed.raiseHead(plus(NOON, 30 * HOUR), plus(NOON, 30 * HOUR));
    const block = await changes();
    expect(block.changes.map(({ kind, scoredAt }) => [kind, scoredAt])).to.deep.equal([
      ['published', item?.scoredAt],
      ['retracted', item?.scoredAt],
    ]);
    expect([block.read, block.last]).to.deep.equal([3, await newest()]);
  });

  it('shows no version of a purged item, and keeps its changes and its places (D62)', async () => {
    await publish(of('g1', 'a'), of('g2', 'x'));
    await publish(of('g1', 'b'));
    const n = (await newest()).n;
    const times = async () =>
      (await known.past.page({ ...EVERYTHING, count: 2 }, await atNumber(n))).map(({ scoredAt }) => scoredAt);
    const then = await times();
    expect(await known.feed.purge('g1', ORDER)).to.equal('purged');
    expect(await shorts()).to.deep.equal([
      '1 published g1 1: purged',
      '2 published g2 1: "g2 x"',
      '3 replaced g1 2: purged',
      '4 purged g1 3',
    ]);
    expect(await pageAt(n, { count: 2 })).to.deep.equal(['purged', '"g2 x"']);
    expect(await pageAt(before.n + 2, { newsId: 'g1' })).to.deep.equal(['purged']);
    expect(await pageAt(before.n + 2, { marketId: 'm1', count: 2 })).to.deep.equal(['"g2 x"', 'purged']);
    expect(await times()).to.deep.equal(then);
    expect((await changes()).changes.at(-1)?.scoredAt).to.equal(then[0]);
  });

  it('purges an item that was retracted before, and what is published under its id later is as any other', async () => {
    await publish(of('w1', 'a'));
    await known.feed.retract('w1');
    expect(await known.feed.purge('w1', ORDER)).to.equal('purged');
    expect(await known.feed.purge('w1', { ...ORDER, reason: 'again' as Reason })).to.equal('purged before');
    const { knownAt } = await atNumber(before.n + 3);
    expect(await known.past.purges(1)).to.deep.equal([{ id: 'w1', knownAt, ...ORDER }]);
    await publish(of('w1', 'b'));
    await known.feed.retract('w1');
    expect(await known.feed.purge('w1', ORDER)).to.equal('purged');
    expect((await known.past.purges(2)).map(({ id }) => id)).to.deep.equal(['w1', 'w1']);
    expect(await shorts()).to.deep.equal([
      '1 published w1 1: purged',
      '2 retracted w1 2',
      '3 purged w1 3',
      '4 published w1 4: purged',
      '5 retracted w1 5',
      '6 purged w1 6',
    ]);
  });

  it('reads at most the given changes and bytes, but at least one change', async () => {
    await publish(...['1', '2', '3', '4'].map((n) => of(`l${n}`, 'x'.repeat(95))));
    const read = async (count: number, bytes: number) => (await changes(before.n, MANY, count, bytes)).read;
    expect([await read(2, MANY), await read(10, 1), await read(10, 101), await read(10, 201)]).to.deep.equal([
      ...[2, 1, 2, 3],
    ]);
    expect((await changes(before.n, before.n + 3)).changes.map(({ id }) => id)).to.deep.equal([
      'l1',
      'l2',
      'l3',
    ]);
    expect(await changes(before.n + 4)).to.deep.equal({ changes: [], last: null, read: 0 });
  });

  it('shows every page as it was, after any publications, retractions and backfills', async () => {
    const action = fc.record({
      kind: fc.constantFrom('live', 'backfill', 'retract', 'raise'),
      ids: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 3 }),
      minutes: fc.integer({ min: -3, max: 3 }),
      markets: fc.uniqueArray(fc.constantFrom('p1', 'p2', 'p3'), { maxLength: 2 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        run += 1;
        const kept: { readonly n: number; readonly ranges: readonly (readonly [FeedRange, unknown])[] }[] =
          [];
        for (const [i, { kind, ids, minutes, markets }] of actions.entries()) {
          const time = plus(NOON, minutes);
          const items = ids.map((id) => of(`${run}${id}`, `${i}`, time, markets));
          if (kind === 'retract') await known.feed.retract(`${run}${ids[0]}`);
          else if (kind === 'raise')
            await known.feed.raiseHead(plus(time, 100 * HOUR), plus(NOON, 100 * HOUR));
          else await known.feed.publish(items, kind as 'live' | 'backfill');
          kept.push(await pagesOf(known, run));
        }
        for (const { n, ranges } of kept)
          for (const [range, shown] of ranges) {
            const point = await atNumber(n);
            const items = (await known.past.page(range, point)).map(({ item }) => item);
            expect({ items, head: point.head }, JSON.stringify(range)).to.deep.equal(shown);
          }
      }),
      { numRuns: RUNS },
    );
  });
});

/** Pages of some ranges, as they are now. */
async function pagesOf({ feed }: KnownFeed, run: number) {
  const whole = await feed.page(EVERYTHING);
  const middle = whole.items[1]?.scoredAt ?? null;
  const ranges: FeedRange[] = [
    EVERYTHING,
    { ...EVERYTHING, count: 2 },
    { ...EVERYTHING, before: middle, count: 2 },
    { ...EVERYTHING, since: middle },
    { ...EVERYTHING, marketId: 'p1' },
    { ...EVERYTHING, marketId: 'p2', before: middle, count: 1 },
    { ...EVERYTHING, newsId: `${run}a` },
    { ...EVERYTHING, newsId: `${run}b`, marketId: 'p1', since: middle },
  ];
  const shown = [];
  for (const range of ranges) {
    const { items, head } = await feed.page(range);
    shown.push([range, { items: [...items], head }] as const);
  }
  return { n: whole.position.n, ranges: shown };
}
