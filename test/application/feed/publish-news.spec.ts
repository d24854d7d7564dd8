import { expect } from 'chai';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { type PublishNews, publishNews } from '../../../src/application/feed/publish-news.js';
import { type FeedItem, META } from '../../../src/domain/feed/feed-item.js';
import { MICROSECOND, plus, SECOND } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import { market, NOON, publication, subMarket } from '../../support/objects/builders.js';
import { rightClock } from '../../support/objects/right-clock.js';

const EVERYTHING = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 1_000 };
const at = (seconds: number) => plus(NOON, seconds * SECOND);

describe('Publishing news', () => {
  let feed: MemoryFeedStore;
  let publish: PublishNews;
  beforeEach(() => {
    feed = new MemoryFeedStore();
    publish = publishNews({ feed, clock: () => NOON, clockCheck: rightClock });
  });

  const published = async () =>
    (await feed.page(EVERYTHING)).items.map(({ id, scoredAt }) => [id, scoredAt] as const);
  const bad = (id: string) => publication({ id, scored_at: 'yesterday' });

  it('stores valid items whatever the invalid ones, and returns the results in order (D30)', async () => {
    const answers = await publish(
      [publication({ id: 'a', scored_at: at(-3) }), bad('b'), publication({ id: 'c', scored_at: at(-1) })],
      'live',
    );
    expect(
      answers.map((answer) => ('refused' in answer ? answer.refused : Object.values(answer)[0])),
    ).to.deep.equal(['a', 'invalid_body', 'c']);
    expect(await published()).to.deep.equal([
      ['c', at(-1)],
      ['a', at(-3)],
    ]);
  });

  it('reports the faults of an invalid item by path (D41)', async () => {
    const [answer] = await publish([bad('b')], 'live');
    expect(answer).to.have.nested.property('faults[0].parameter', '/scored_at');
    expect(answer).to.have.nested.property('faults[0].code', 'invalid_date_time');
  });

  it('changes nothing if all items are invalid, or if there are none', async () => {
    const before = feed.log.newest;
    expect((await publish([bad('a'), bad('b')], 'live')).every(isRefusal)).to.equal(true);
    expect(await publish([], 'live')).to.deep.equal([]);
    expect(feed.log.newest).to.deep.equal(before);
  });

  it('uses the time of publication if none is given, and keeps the order (D30, D6)', async () => {
    await publish([publication({ id: 'a' }), publication({ id: 'b' })], 'live');
    expect(await published()).to.deep.equal([
      ['b', plus(NOON, MICROSECOND)],
      ['a', NOON],
    ]);
  });

  it('scores an item by the latest of its own time and its sub-markets’ (D6)', async () => {
    const related_markets = [
      market('m1', subMarket('s1', at(-1)), subMarket('s2', at(-9))),
      market('m2', subMarket('s3')),
    ];
    await publish([publication({ id: 'a', scored_at: at(-5), related_markets })], 'live');
    expect(await published()).to.deep.equal([['a', at(-1)]]);
  });

  it('assigns a live item a time at the head, a backfill its own time (D7)', async () => {
    await publish([publication({ id: 'a', scored_at: at(-1) })], 'live');
    await publish([publication({ id: 'b', scored_at: at(-9) })], 'live');
    await publish([publication({ id: 'c', scored_at: at(-9) })], 'backfill');
    expect(await published()).to.deep.equal([
      ['b', plus(at(-1), MICROSECOND)],
      ['a', at(-1)],
      ['c', at(-9)],
    ]);
  });

  it('accepts a time up to 5 s ahead of the clock, and none beyond, in either mode (D7)', async () => {
    for (const mode of ['live', 'backfill'] as const) {
      const [ahead, beyond] = await publish(
        [
          publication({ id: mode, scored_at: at(5) }),
          publication({ id: 'wrong clock', scored_at: plus(at(5), MICROSECOND) }),
        ],
        mode,
      );
      expect(ahead).to.deep.equal({ accepted: mode });
      expect(beyond).to.have.nested.property('faults[0].code', 'scored_at_in_future');
    }
    expect(await published()).to.have.length(2);
  });

  it('renders the item in its wire format: with `meta`, without `scored_at`, times in one format (D10, D41)', async () => {
    const input = publication({
      id: 'a',
      scored_at: at(-1),
      source_published_at: '2026-03-01T12:30:00+02:00',
      related_markets: [market('m1', subMarket('s1', at(-1)))],
    });
    await publish([input], 'live');
    const [item] = (await feed.page(EVERYTHING)).items;
    const expected: FeedItem = {
      news_event: {
        ...input.news_event,
        source_published_at: '2026-03-01T10:30:00.000000Z',
        endpoint_published_at: NOON,
      },
      related_markets: [market('m1', subMarket('s1'))],
      meta: META,
    };
    expect(JSON.parse(`${item?.json}`)).to.deep.equal(expected);
  });

  it('makes an item found by each of its sub-markets', async () => {
    const related_markets = [market('m1', subMarket('s1')), market('m2', subMarket('s2'))];
    await publish([publication({ id: 'a', related_markets })], 'live');
    for (const [marketId, found] of [
      ['s1', 1],
      ['s2', 1],
      ['m1', 0],
    ] as const) {
      expect((await feed.page({ ...EVERYTHING, marketId })).items, marketId).to.have.length(found);
    }
  });

  it('replaces an item that is published again, and keeps it if the new one is invalid (D11)', async () => {
    await publish(
      [publication({ id: 'a', scored_at: at(-2) }), publication({ id: 'b', scored_at: at(-1) })],
      'live',
    );
    await publish([bad('a')], 'live');
    expect(await published()).to.deep.equal([
      ['b', at(-1)],
      ['a', at(-2)],
    ]);
    await publish([publication({ id: 'a', scored_at: at(0) })], 'live');
    expect(await published()).to.deep.equal([
      ['a', at(0)],
      ['b', at(-1)],
    ]);
  });

  it('keeps the later of two items with one id in a batch', async () => {
    const again = publication({ id: 'a', scored_at: at(-1), related_markets: [] });
    const answers = await publish([publication({ id: 'a', scored_at: at(-2) }), again], 'live');
    expect(answers).to.deep.equal([{ accepted: 'a' }, { accepted: 'a' }]);
    const [item, ...others] = (await feed.page(EVERYTHING)).items;
    expect(others).to.deep.equal([]);
    expect(JSON.parse(`${item?.json}`))
      .to.have.property('related_markets')
      .that.deep.equals([]);
  });
});
