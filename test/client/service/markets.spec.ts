import { setTimeout } from 'node:timers/promises';
import type { Market, MarketPage } from '@oddswire/client';
import { expect } from 'chai';
import { status } from '../../support/client/faulty-proxy.js';
import { ended, type Outcome } from '../../support/client/tested-client.js';
import { type Case, runCases } from '../../support/client/trials.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { publishAll } from '../../support/service/api-calls.js';

/** With their main markets more than one page of a walk. */
const SUBS = 300;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const pageOf = ({ value, failure }: Outcome): MarketPage => {
  expect(failure).to.equal(null);
  return value as MarketPage;
};

const CASES: readonly Case[] = [
  {
    name: 'by several references, and names the unknown ones',
    run: async ({ tested, at }) => {
      const ref = ['s7', 'https://www.markets.example/s8?utm_source=x', 'none,of these'];
      const { markets, unknown, next_cursor } = pageOf(await tested.call(at, 'markets', { ref }));
      expect(markets.map(({ market_id, kind, refs }) => [market_id, kind, refs])).to.have.deep.members([
        ['s7', 'sub', ['s7']],
        ['s8', 'sub', [ref[1]]],
      ]);
      expect([unknown, next_cursor]).to.deep.equal([['none,of these'], null]);
      const main = pageOf(await tested.call(at, 'markets', { ref: 'm3' }));
      expect(main.markets.map(({ kind }) => kind)).to.deep.equal(['main']);
    },
  },
  {
    name: 'by words, venue, kind and main market, in pages',
    run: async ({ tested, at }) => {
      const query = { q: 'happen', venue: 'markets.example', kind: 'sub', limit: 2 };
      const first = pageOf(await tested.call(at, 'markets', query));
      const next = pageOf(await tested.call(at, 'markets', { ...query, cursor: first.next_cursor ?? '' }));
      const { markets } = pageOf(await tested.call(at, 'markets', { ...query, limit: 4 }));
      expect(markets).to.have.length(4);
      expect([...first.markets, ...next.markets]).to.deep.equal(markets);
      const ofMain = pageOf(await tested.call(at, 'markets', { main_market_id: 'm5' }));
      expect(ofMain.markets[0]?.market_id).to.equal('s5');
    },
  },
  {
    name: 'all, each once, over several requests, of which one is repeated after 503',
    run: async ({ tested, at, proxy }) => {
      const before = proxy.requests.length;
      proxy.fail(status(503, { 'Retry-After': '0' }));
      const all = (await tested.call(at, 'walkMarkets')).value as readonly Market[];
      const names = all.map(({ kind, market_id }) => `${kind} ${market_id}`);
      expect([names.length, new Set(names).size]).to.deep.equal([2 * SUBS, 2 * SUBS]);
      expect(proxy.requests.length - before).to.equal(3);
      expect(proxy.requests.at(-1))
        .to.match(/sort=id/)
        .and.match(/cursor=/);
      const main = await tested.call(at, 'walkMarkets', { kind: 'main', limit: 100 });
      expect(main.value).to.have.length(SUBS);
    },
  },
  {
    name: 'and ends a walk whose pages repeat',
    run: async ({ tested, at, proxy }) => {
      proxy.failAll(() => status(200, JSON_TYPE, '{"markets":[],"next_cursor":"c","unknown":[]}'));
      expect(ended(await tested.call(at, 'walkMarkets'))).to.equal('cursor_not_advancing');
    },
  },
  {
    name: 'and takes no page without a valid `next_cursor` for the last one (contract section 2.1)',
    run: async ({ tested, at, proxy }) => {
      for (const page of ['{"markets":[]}', '{"markets":[],"next_cursor":1}']) {
        proxy.failAll(() => status(200, JSON_TYPE, page));
        expect(ended(await tested.call({ ...at, retries: 0 }, 'walkMarkets'))).to.equal('invalid_response');
      }
    },
  },
  {
    name: 'and not in a response that is none of the service, or a refusal',
    run: async ({ tested, at, proxy }) => {
      const once = { url: proxy.url, key: 'svc_none', retries: 0 };
      proxy.fail(status(200, JSON_TYPE, '{"items":[]}'));
      expect(ended(await tested.call(once, 'markets'))).to.equal('invalid_response');
      expect(ended(await tested.call(once, 'markets'))).to.equal('key_unknown');
      expect(ended(await tested.call(at, 'markets', { limit: 501 }))).to.equal('invalid_parameter');
    },
  },
];

runCases('The clients find markets', {
  prepare: async ({ client, direct }) => {
    const items = Array.from({ length: SUBS }, (_, n) =>
      publication({ id: `ne_${n}`, related_markets: [market(`m${n}`, subMarket(`s${n}`))] }),
    );
    await publishAll(client, items);
    // The directory follows the feed within a second (D65).
    const isListed = async () => (await direct.markets({ ref: `s${SUBS - 1}` })).unknown.length === 0;
    while (!(await isListed())) await setTimeout(50);
  },
  cases: CASES,
});
