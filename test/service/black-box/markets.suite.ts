import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { aKey, problem, publishAll, type ServiceUnderTest, unique } from '../../support/service/api-calls.js';

type Market = {
  readonly market_id: string;
  readonly kind: string;
  readonly main_market_id: string | null;
  readonly market_title: string;
  readonly news_count: number;
  readonly last_snapshot: { readonly yes_ask: number; readonly scored_at: string } | null;
  readonly first_news_at: string;
  readonly last_news_at: string;
  readonly refs: readonly string[];
};
type MarketPage = {
  readonly markets: readonly Market[];
  readonly next_cursor: string | null;
  readonly unknown: readonly string[];
};

/** Between two reads, so that the quota lasts. */
const POLL_MS = 50;

/** D63, D65: the markets of the feed. */
export function marketsSuite({ client }: ServiceUnderTest): void {
  describe('the directory of markets', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const ask = (query: string) => client().ask(`/pm/v2/markets${query}`, { headers: { 'X-API-Key': key } });
    const read = async (query: string) => (await ask(query)).json as MarketPage;
    const refs = (...texts: readonly string[]) =>
      `?${texts.map((text) => `ref=${encodeURIComponent(text)}`).join('&')}`;

    /** An item about one main market, with one sub-market. */
    const about = (id: string, market: string, price = 0.5) => {
      const item = publication({ id });
      const [related] = item.related_markets;
      const [sub] = related?.sub_markets ?? [];
      if (related === undefined || sub === undefined) throw new Error('the publication has no markets');
      const market_url = `https://polymarket.com/event/${market}`;
      return {
        ...item,
        related_markets: [
          {
            ...related,
            main_market: {
              ...related.main_market,
              market_id: market,
              market_url,
              market_title: `On ${market}`,
            },
            sub_markets: [
              {
                ...sub,
                sub_market_id: `${market}-sub`,
                market_url: `${market_url}/${market}-open`,
                market_snapshot: { ...sub.market_snapshot, yes_ask: price },
              },
            ],
          },
        ],
      };
    };
    /** Reads until the directory has followed the feed so far. */
    const until = async (query: string, isReached: (page: MarketPage) => boolean): Promise<MarketPage> => {
      for (;;) {
        const { status, json } = await ask(query);
        if (status === 200 && isReached(json as MarketPage)) return json as MarketPage;
        expect([200, 503]).to.include(status);
        await setTimeout(POLL_MS);
      }
    };
    const counts = (expected: readonly number[]) => (page: MarketPage) =>
      page.markets.map(({ news_count }) => news_count).join() === expected.join();

    it('has the markets of an item within a second, by every kind of reference', async () => {
      const market = unique();
      await publishAll(client(), [about(unique(), market, 0.4)]);
      const url = `http://www.polymarket.com/de/event/${market}/${market}-open/?utm_source=x`;
      const asked = refs(url, market, `${market}-open`, `${market}-none`);
      const found = await until(asked, ({ markets }) => markets.length === 2);
      expect(found.unknown).to.deep.equal([`${market}-none`]);
      expect(found.markets.map(({ kind, refs: matched }) => [kind, matched])).to.deep.equal([
        ['main', [market]],
        ['sub', [url, `${market}-open`]],
      ]);
      const [main, sub] = found.markets;
      expect(main).to.include({ main_market_id: null, last_snapshot: null, market_title: `On ${market}` });
      expect(sub?.main_market_id).to.equal(market);
      expect(sub?.last_snapshot).to.include({ yes_ask: 0.4, scored_at: sub?.last_news_at });
    });

    it('follows replacements and retractions', async () => {
      const market = unique();
      const [a, b] = [unique(), unique()];
      await publishAll(client(), [about(a, market, 0.1), about(b, market, 0.2)]);
      await until(refs(market), counts([2]));
      await publishAll(client(), [about(a, market, 0.9)]);
      const sub = `${refs(`${market}-sub`)}&kind=sub`;
      const { markets } = await until(sub, (page) => page.markets[0]?.last_snapshot?.yes_ask === 0.9);
      expect(markets[0]?.last_snapshot?.scored_at).to.equal(markets[0]?.last_news_at);
      expect(markets[0]?.first_news_at).to.not.equal(markets[0]?.last_news_at);
      expect((await client().retract(a)).status).to.equal(204);
      const left = await until(refs(market), counts([1]));
      expect(left.unknown).to.deep.equal([]);
      expect((await read(sub)).markets[0]?.last_snapshot?.yes_ask).to.equal(0.2);
      await client().retract(b);
      expect((await until(refs(market), counts([]))).unknown).to.deep.equal([market]);
    });

    it('is listed in pages, in both orders, and filtered', async () => {
      const market = unique();
      await publishAll(
        client(),
        ['a', 'b', 'c'].map((name) => about(unique(), `${market}-${name}`)),
      );
      const filter = '?venue=WWW.polymarket.com&kind=main&q=on';
      await until(refs(`${market}-c`), counts([1]));
      for (const sort of ['news', 'id']) {
        const whole = await read(`${filter}&sort=${sort}&limit=500`);
        const walked: Market[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: MarketPage = await read(
            `${filter}&sort=${sort}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
          );
          walked.push(...page.markets);
          cursor = page.next_cursor;
        }
        expect(walked).to.deep.equal(whole.markets);
        expect(whole.next_cursor).to.equal(null);
        expect(walked.map(({ market_id }) => market_id)).to.include.members(
          ['a', 'b', 'c'].map((name) => `${market}-${name}`),
        );
      }
      const subs = await read(`?main_market_id=${market}-a`);
      expect(subs.markets.map(({ market_id }) => market_id)).to.deep.equal([`${market}-a-sub`]);
    });

    it('refuses what no parameter can be', async () => {
      const { next_cursor: cursor } = await read('?limit=1&sort=id');
      const refused: readonly (readonly [string, string, string])[] = [
        ['?ref=', 'ref', 'empty'],
        ['?ref=a%00', 'ref', 'invalid_pattern'],
        [`?ref=${'x'.repeat(2_049)}`, 'ref', 'invalid_max_length'],
        [`?${'ref=a&'.repeat(21)}`, 'ref', 'invalid_max_items'],
        ['?q=', 'q', 'empty'],
        ['?q=-', 'q', 'invalid_words'],
        ['?venue=', 'venue', 'empty'],
        ['?kind=Main', 'kind', 'invalid_enum'],
        ['?main_market_id=', 'main_market_id', 'empty'],
        ['?sort=title', 'sort', 'invalid_enum'],
        ['?limit=501', 'limit', 'out_of_range'],
        ['?cursor=', 'cursor', 'empty'],
        ['?cursor=a', 'cursor', 'invalid_cursor'],
        [`?cursor=${cursor}`, 'cursor', 'invalid_cursor'],
      ];
      for (const [query, parameter, code] of refused) {
        const reply = await ask(query);
        expect([reply.status, problem(reply).code], query).to.deep.equal([400, 'invalid_parameter']);
        const { errors = [] } = reply.json as { errors?: readonly { parameter: string; code: string }[] };
        expect(
          errors.map((fault) => [fault.parameter, fault.code]),
          query,
        ).to.deep.equal([[parameter, code]]);
      }
    });

    it('needs a key, and is only read', async () => {
      expect((await client().ask('/pm/v2/markets')).status).to.equal(401);
      const posted = await client().ask('/pm/v2/markets', { method: 'POST', headers: { 'X-API-Key': key } });
      expect([posted.status, posted.headers['allow']]).to.deep.equal([405, 'GET, OPTIONS']);
    });
  });
}
