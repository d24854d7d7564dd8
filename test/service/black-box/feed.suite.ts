import { expect } from 'chai';
import { market, moment, publication, subMarket, timedNow } from '../../support/objects/builders.js';
import { sampleFeed } from '../../support/sample/sample-feed.js';
import {
  account,
  aKey,
  ids,
  issue,
  page,
  problem,
  publishAll,
  type ServiceUnderTest,
  unique,
} from '../../support/service/api-calls.js';

/** Contract sections 2 and 4: items and pages of the feed. */
export function feedSuite({ client }: ServiceUnderTest): void {
  describe('the feed', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const read = (query: string) => client().news(key, query);
    const walk = async (limit: number, since: string): Promise<readonly string[]> => {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const reply = await read(
          `?limit=${limit}&since=${since}${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        found.push(...ids(reply));
        cursor = page(reply).next_cursor;
      } while (cursor !== null);
      return found;
    };

    it('has each item once and in order on its pages, at any limit, also with equal times (D6, D8)', async () => {
      const start = (await read('?limit=1')).headers['feed-head'] ?? '2026-01-01';
      const tag = unique();
      const feed = sampleFeed(120, moment('2026-02-01T00:00:00Z')).map((item, i) => ({
        ...item,
        news_event: { ...item.news_event, id: `${tag}-${i}` },
        related_markets: item.related_markets.map((m) => ({
          ...m,
          sub_markets: m.sub_markets.map(({ scored_at: _, ...sub }) => sub),
        })),
        scored_at: `2026-02-01T00:00:0${Math.floor(i / 40)}.5Z`,
      }));
      await publishAll(client(), feed);
      const expected = feed.map(({ news_event }) => news_event.id).reverse();
      for (const limit of [1, 7, 50, 500]) {
        const walked = (await walk(limit, start)).filter((id) => id.startsWith(tag));
        expect(walked).to.deep.equal(expected);
      }
    }).timeout(60_000);

    it('distinguishes microseconds in `cursor` and `since` (D4, D8)', async () => {
      const [first, second] = [unique(), unique()];
      await publishAll(client(), [publication({ id: first }), publication({ id: second })]);
      const head = (await read(`?news_id=${second}`)).headers['feed-head'] ?? '';
      const [before, after] = [`${head.slice(0, -1)}0000001Z`, head];
      expect(ids(await read(`?since=${after}`))).to.deep.equal([second]);
      expect(ids(await read(`?since=${before}`))).to.deep.equal([]);
      expect(ids(await read(`?cursor=${before}&limit=1`))).to.deep.equal([second]);
      expect(ids(await read(`?cursor=${after}&limit=1`))).to.deep.equal([first]);
    });

    const forms: readonly (readonly [text: string, status: 200 | 400])[] = [
      ['2026-01-31T12:00:00Z', 200],
      ['2026-01-31t12:00:00.1234567891z', 200],
      ['2026-01-31T12:00:00%2B05:30', 200],
      ['2026-01-31T12:00:00+05:30', 200],
      ['2026-01-31T12:00:00-00:00', 200],
      ['2026-01-31T12:00:00', 200],
      ['2026-01-31', 200],
      ['2016-12-31T23:59:60Z', 200],
      ['2016-12-31T15:59:60.5-08:00', 200],
      ['0001-01-01T00:00:00Z', 200],
      ['9999-12-31T23:59:59.999999Z', 200],
      ['2026-02-31T12:00:00Z', 400],
      ['2026-01-31T24:00:00Z', 400],
      ['2026-01-31T12:00:60Z', 400],
      ['2026-W05-6', 400],
      ['1769860800', 400],
      ['9999-12-31T23:59:59.9999991Z', 400],
      ['0001-01-01T00:00:00%2B00:01', 400],
      ['2026-01-31T12:00Z', 400],
      ['2026-01-31%2012:00:00Z', 400],
      ['now', 400],
    ];
    for (const [text, status] of forms) {
      it(`answers ${text} as a time with ${status} (D4)`, async () => {
        for (const parameter of ['cursor', 'since']) {
          expect((await read(`?limit=1&${parameter}=${text}`)).status).to.equal(status);
        }
      });
    }

    const queries: readonly (readonly [query: string, codes: readonly string[]])[] = [
      ['?limit=0', ['limit out_of_range']],
      ['?limit=501', ['limit out_of_range']],
      ['?limit=1.0', ['limit invalid_type']],
      ['?limit=+1', ['limit invalid_type']],
      ['?limit=-1', ['limit out_of_range']],
      ['?limit=', ['limit empty']],
      ['?limit=1&limit=1', ['limit repeated']],
      ['?news_id=%ff', ['news_id invalid_encoding']],
      ['?market_id=%00', ['market_id invalid_pattern']],
      ['?since=x&limit=x&cursor=', ['cursor empty', 'limit invalid_type', 'since invalid_moment']],
    ];
    for (const [query, codes] of queries) {
      it(`refuses ${query} and reports all its errors (D13)`, async () => {
        const reply = await read(query);
        expect(reply.status).to.equal(400);
        const reported = problem(reply).errors?.map(({ parameter, code }) => `${parameter} ${code}`);
        expect([...(reported ?? [])].sort()).to.deep.equal(codes);
      });
    }

    it('ignores unknown parameters, also repeated or invalid ones (contract section 4)', async () => {
      expect((await read('?limit=1&foo&foo=%ff&Limit=9&%zz=1')).status).to.equal(200);
    });

    it('filters by `news_id` and `market_id`; without a match the page is empty (D9)', async () => {
      const [id, one, other, third] = [unique(), unique(), unique(), unique()];
      const markets = [market('a', subMarket(one), subMarket(other)), market('b', subMarket(third))];
      await publishAll(client(), [publication({ id, related_markets: markets })]);
      const narrowed = page(await read(`?market_id=${other}`));
      expect(
        narrowed.items.map(({ related_markets }) =>
          related_markets.map(({ sub_markets }) => sub_markets.map(({ sub_market_id }) => sub_market_id)),
        ),
      ).to.deep.equal([[[other]]]);
      expect(page(await read(`?news_id=${id}`)).items[0]?.related_markets).to.have.length(2);
      expect(ids(await read(`?news_id=${id}&market_id=${third}`))).to.deep.equal([id]);
      expect(page(await read(`?news_id=nobody&market_id=${third}`))).to.deep.equal({
        items: [],
        next_cursor: null,
      });
    });

    it('has a position on every page and every 304, with every filter, which changes with each change (D44)', async () => {
      const id = unique();
      const positionOf = async (query: string, headers = {}) => {
        const reply = await client().news(key, query, headers);
        const position = reply.headers['feed-position'] ?? '';
        expect(position).to.match(/^[A-Za-z0-9._~-]{1,64}$/);
        expect(reply.headers['access-control-expose-headers']).to.include('Feed-Position');
        return { position, status: reply.status, tag: reply.headers['etag'] ?? '' };
      };
      await publishAll(client(), [publication({ id })]);
      const { position, tag } = await positionOf('?limit=1');
      for (const query of ['', '?limit=2', `?news_id=${id}`, '?news_id=nobody', '?market_id=none'])
        expect((await positionOf(query)).position, query).to.equal(position);
      const unchanged = await positionOf('?limit=1', { 'If-None-Match': tag });
      expect([unchanged.status, unchanged.position]).to.deep.equal([304, position]);
      // Koa answers HEAD, the other entry point answers GET.
      const head = await client().ask('/pm/v2/news?limit=1', {
        method: 'HEAD',
        headers: { 'X-API-Key': key },
      });
      expect(head.headers['feed-position']).to.equal(position);
      await client().retract(id);
      expect((await positionOf('?limit=1')).position).not.to.equal(position);
    });

    it('moves a republished item to the head, and drops a retracted item (D11)', async () => {
      const [older, newer] = [unique(), unique()];
      await publishAll(client(), [publication({ id: older }), publication({ id: newer })]);
      await publishAll(client(), [timedNow(publication({ id: older }))]);
      expect(ids(await read('?limit=2'))).to.deep.equal([older, newer]);
      const head = (await read('?limit=1')).headers['feed-head'];
      const retract = () => client().retract(older);
      expect((await retract()).status).to.equal(204);
      expect((await retract()).status).to.equal(404);
      expect(ids(await read('?limit=1'))).to.deep.equal([newer]);
      expect((await read('?limit=1')).headers['feed-head']).to.equal(head);
    });

    it('keeps the times of a backfill below its head (D7)', async () => {
      const id = unique();
      await publishAll(client(), [publication({ id: unique() })]);
      const head = (await read('?limit=1')).headers['feed-head'];
      await publishAll(client(), [publication({ id, scored_at: '2001-01-01T00:00:00Z' })], '?mode=backfill');
      expect((await read('?limit=1')).headers['feed-head']).to.equal(head);
      expect(ids(await read('?cursor=2001-01-01T00:00:01Z&since=2001-01-01')).includes(id)).to.equal(true);
    });

    it('has the same ETag for every key, and answers 304 to a matching ETag at no cost (D34, D36)', async () => {
      const accountId = await account(client());
      const [mine, yours] = [await issue(client(), accountId), await aKey(client())];
      await publishAll(client(), [publication({ id: unique() })]);
      const first = await client().news(mine.key);
      const tag = first.headers['etag'] ?? '';
      expect(tag).to.match(/^W\/"/);
      expect((await client().news(yours.key)).headers['etag']).to.equal(tag);
      const again = await client().news(mine.key, '', { 'If-None-Match': tag });
      expect(again.status).to.equal(304);
      expect(again.text).to.equal('');
      expect(again.headers['feed-head']).to.equal(first.headers['feed-head']);
      expect(again.headers['x-ratelimit-remaining']).to.equal(first.headers['x-ratelimit-remaining']);
    });

    for (const [accepts, encoding] of [
      ['br, gzip', 'br'],
      ['gzip, deflate, br', 'br'],
      ['gzip;q=1, br;q=0.5', 'gzip'],
      ['identity', undefined],
      ['br;q=0, gzip;q=0', undefined],
    ] as const) {
      it(`answers Accept-Encoding “${accepts}” with ${encoding ?? 'no encoding'} (D36)`, async () => {
        await publishAll(client(), [publication({ id: unique() }), publication({ id: unique() })]);
        const reply = await client().news(key, '', { 'Accept-Encoding': accepts });
        expect(reply.headers['content-encoding']).to.equal(encoding);
        expect(page(reply).items.length).to.be.greaterThan(1);
      });
    }

    it('has the same page in every encoding, under one ETag (D36)', async () => {
      await publishAll(client(), [publication({ id: unique() }), publication({ id: unique() })]);
      const replies = [];
      for (const encoding of ['identity', 'gzip', 'br']) {
        replies.push(await client().news(key, '?limit=2', { 'Accept-Encoding': encoding }));
      }
      expect(replies.map(({ headers }) => headers['content-encoding'])).to.deep.equal([
        undefined,
        'gzip',
        'br',
      ]);
      expect(new Set(replies.map(({ text }) => text)).size).to.equal(1);
      expect(new Set(replies.map(({ headers }) => headers['etag'])).size).to.equal(1);
      const tag = { 'If-None-Match': replies[0]?.headers['etag'] ?? '', 'Accept-Encoding': 'br' };
      const again = await client().news(key, '?limit=2', tag);
      expect([again.status, again.text, again.headers['content-encoding']]).to.deep.equal([
        304,
        '',
        undefined,
      ]);
    });

    it('has an ETag that changes with the page, and not with the head (D8, D36)', async () => {
      const id = unique();
      await publishAll(client(), [publication({ id })]);
      const read = () => client().news(key, `?news_id=${id}`);
      const first = await read();
      await publishAll(client(), [publication({ id: unique() })]);
      const second = await read();
      expect(second.headers['etag']).to.equal(first.headers['etag']);
      expect(second.headers['feed-head']).not.to.equal(first.headers['feed-head']);
      const sent = publication({ id });
      await publishAll(client(), [{ ...sent, news_event: { ...sent.news_event, headline: 'Talks end' } }]);
      expect((await read()).headers['etag']).not.to.equal(first.headers['etag']);
    });

    it('answers a conditional HEAD like a GET, and a HEAD with 404 without a body (D36)', async () => {
      const etag = (await client().news(key, '?limit=1')).headers['etag'] ?? '';
      const headers = { 'X-API-Key': key, 'If-None-Match': etag };
      const head = await client().ask('/pm/v2/news?limit=1', { method: 'HEAD', headers });
      expect(head.status).to.equal(304);
      const unknown = await client().ask('/nowhere', { method: 'HEAD' });
      expect([unknown.status, unknown.text]).to.deep.equal([404, '']);
    });

    it('has an empty page if `since` is later than `cursor`, or no item is older than `cursor` (D8)', async () => {
      for (const query of ['?since=2026-02-01&cursor=2026-01-01', '?cursor=0001-01-01']) {
        expect(page(await client().news(key, query))).to.deep.equal({ items: [], next_cursor: null });
      }
    });

    it('accepts a `limit` of up to three digits with leading zeros; the default is 50 (D13)', async () => {
      expect(ids(await client().news(key, '?limit=001'))).to.have.length(1);
      await publishAll(
        client(),
        Array.from({ length: 51 }, () => publication({ id: unique() })),
      );
      expect(ids(await client().news(key))).to.have.length(50);
      expect((await client().news(key, '?limit=000')).status).to.equal(400);
      expect((await client().news(key, '?limit=0050')).status).to.equal(400);
    });
  });
}
