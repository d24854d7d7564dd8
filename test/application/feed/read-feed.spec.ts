import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { type PublishNews, publishNews } from '../../../src/application/feed/publish-news.js';
import { type ReadFeed, readFeed } from '../../../src/application/feed/read-feed.js';
import type { FeedItem } from '../../../src/domain/feed/feed-item.js';
import type { FeedQuery } from '../../../src/domain/feed/feed-query.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, market, NOON, publication, runs, subMarket } from '../../support/objects/builders.js';
import { rightClock } from '../../support/objects/right-clock.js';

const ALL: FeedQuery = { limit: 50, cursor: null, since: null, newsId: null, marketId: null, terms: [] };
const at = (seconds: number) => plus(NOON, seconds * SECOND);

describe('Reading the feed', () => {
  let feed: MemoryFeedStore;
  let read: ReadFeed;
  let publish: PublishNews;
  beforeEach(() => {
    feed = new MemoryFeedStore();
    read = readFeed({ feed });
    publish = publishNews({ feed, clock: () => at(1_000), clockCheck: rightClock });
  });

  /** Items `ne_0`, `ne_1` …, a second apart, the last the newest. Every third one has the sub-market `shared`. */
  const fill = async (count: number) => {
    const inputs = Array.from({ length: count }, (_, i) =>
      publication({
        id: `ne_${i}`,
        scored_at: at(i),
        related_markets: [
          market('m1', subMarket(`only ${i}`), ...(i % 3 === 0 ? [subMarket('shared')] : [])),
          market('m2', subMarket(`other ${i}`)),
        ],
      }),
    );
    for (const answer of await publish(inputs, 'live')) accepted(answer);
  };
  const ids = async (query: Partial<FeedQuery>) =>
    (await read({ ...ALL, ...query })).page.items.map(({ id }) => id);
  const walk = async (query: Partial<FeedQuery>) => {
    const found: string[] = [];
    let pages = 0;
    let cursor: Moment | null = query.cursor ?? null;
    do {
      const { page }: Awaited<ReturnType<ReadFeed>> = await read({ ...ALL, ...query, cursor });
      found.push(...page.items.map(({ id }) => id));
      pages += 1;
      cursor = page.nextCursor;
    } while (cursor !== null);
    return { found, pages };
  };

  it('returns items newest first, with a cursor for older ones, and none at the end (contract section 2.1, D8)', async () => {
    await fill(5);
    const { page, head } = await read({ ...ALL, limit: 2 });
    expect(page.items.map(({ id }) => id)).to.deep.equal(['ne_4', 'ne_3']);
    expect(page.nextCursor).to.equal(at(3));
    expect(head).to.equal(at(4));
    const last = await read({ ...ALL, limit: 2, cursor: at(1) });
    expect(last.page.items.map(({ id }) => id)).to.deep.equal(['ne_0']);
    expect(last.page.nextCursor).to.equal(null);
  });

  it('returns no cursor on a full last page (contract section 4)', async () => {
    await fill(4);
    expect((await read({ ...ALL, limit: 4 })).page.nextCursor).to.equal(null);
    expect((await read({ ...ALL, limit: 2, cursor: at(2) })).page.nextCursor).to.equal(null);
    expect(await walk({ limit: 2 })).to.deep.include({ pages: 2 });
  });

  it('page by page loses and repeats no item, whatever the page size and filters', async () => {
    await fill(40);
    const edge = fc.option(fc.integer({ min: -1, max: 41 }).map(at), { nil: null });
    const query = fc.record({
      limit: fc.integer({ min: 1, max: 50 }),
      since: edge,
      cursor: edge,
      marketId: fc.constantFrom(null, 'shared', 'only 7'),
    });
    const property = fc.asyncProperty(query, async (asked) => {
      const expected = Array.from({ length: 40 }, (_, i) => 39 - i)
        .filter((i) => asked.since === null || at(i) >= asked.since)
        .filter((i) => asked.cursor === null || at(i) < asked.cursor)
        .filter((i) => asked.marketId !== 'shared' || i % 3 === 0)
        .filter((i) => asked.marketId !== 'only 7' || i === 7);
      const { found, pages } = await walk(asked);
      expect(found).to.deep.equal(expected.map((i) => `ne_${i}`));
      expect(pages).to.equal(Math.max(1, Math.ceil(expected.length / asked.limit)));
    });
    await fc.assert(property, runs(100));
  });

  it('page by page is not affected by publications in the meantime, and `since` returns those (D7, D8)', async () => {
    await fill(6);
    const first = await read({ ...ALL, limit: 3 });
    accepted((await publish([publication({ id: 'late', scored_at: at(0) })], 'live'))[0] ?? {});
    expect(await ids({ cursor: first.page.nextCursor })).to.deep.equal(['ne_2', 'ne_1', 'ne_0']);
    expect(await ids({ since: first.head })).to.deep.equal(['late', 'ne_5']);
  });

  it('keeps `since <= scored_at < cursor` to the microsecond when both are given (D8)', async () => {
    await fill(5);
    expect(await ids({ since: at(1), cursor: at(3) })).to.deep.equal(['ne_2', 'ne_1']);
    expect(await ids({ since: plus(at(1), 1), cursor: plus(at(3), 1) })).to.deep.equal(['ne_3', 'ne_2']);
    expect(await ids({ since: at(3), cursor: at(3) })).to.deep.equal([]);
    expect(await ids({ since: at(4), cursor: at(1) })).to.deep.equal([]);
  });

  it('returns one event by `news_id`, if it matches the other conditions (D9)', async () => {
    await fill(5);
    expect(await ids({ newsId: 'ne_3' })).to.deep.equal(['ne_3']);
    expect(await ids({ newsId: 'ne_3', marketId: 'shared' })).to.deep.equal(['ne_3']);
    expect(await ids({ newsId: 'ne_2', marketId: 'shared' })).to.deep.equal([]);
    expect(await ids({ newsId: 'ne_3', cursor: at(3) })).to.deep.equal([]);
    expect((await read({ ...ALL, newsId: 'ne_3', limit: 1 })).page.nextCursor).to.equal(null);
  });

  it('narrows each item to the requested sub-market and its main market (D9)', async () => {
    await fill(4);
    const first = async (query: Partial<FeedQuery>) => {
      const { page, bytesOf } = await read({ ...ALL, ...query });
      return page.items.map((item) => ({ scoredAt: item.scoredAt, json: bytesOf(item) }))[0];
    };
    const whole = await first({ newsId: 'ne_3' });
    const narrow = await first({ newsId: 'ne_3', marketId: 'shared' });
    const item = JSON.parse(`${whole?.json}`) as FeedItem;
    const [m1] = item.related_markets;
    expect(JSON.parse(`${narrow?.json}`)).to.deep.equal({
      ...item,
      related_markets: [
        { ...m1, sub_markets: m1?.sub_markets.filter((sub) => sub.sub_market_id === 'shared') },
      ],
    });
    expect(narrow?.scoredAt).to.equal(whole?.scoredAt);
  });

  it('does not change the stored item when it narrows it (D9)', async () => {
    await fill(4);
    const before = (await read({ ...ALL, newsId: 'ne_3' })).page.items[0]?.json.toString();
    await read({ ...ALL, marketId: 'shared' });
    expect((await read({ ...ALL, newsId: 'ne_3' })).page.items[0]?.json.toString()).to.equal(before);
  });

  it('returns an empty page without a cursor if nothing matches (D9)', async () => {
    await fill(3);
    for (const nothing of [
      { newsId: 'nobody' },
      { marketId: 'nothing' },
      { cursor: at(0) },
      { since: at(9) },
    ]) {
      expect((await read({ ...ALL, ...nothing })).page).to.deep.equal({ items: [], nextCursor: null });
    }
  });

  it('returns the head of the whole feed whatever the filters, also after a retraction (D7, D8)', async () => {
    expect((await read(ALL)).head).to.equal(null);
    await fill(3);
    await feed.retract('ne_2');
    for (const query of [{}, { newsId: 'ne_0' }, { marketId: 'nothing' }, { cursor: at(0) }]) {
      expect((await read({ ...ALL, ...query })).head).to.equal(at(2));
    }
  });

  it('returns items byte by byte as they were rendered', async () => {
    const json = Buffer.from('{"any":  "bytes \u00e9山"}');
    await feed.publish([{ id: 'raw', scoredAt: NOON, subMarketIds: [], json }], 'live');
    expect((await read(ALL)).page.items[0]?.json.equals(json)).to.equal(true);
  });
});
