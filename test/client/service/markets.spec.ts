import { setTimeout } from 'node:timers/promises';
import { Oddswire, OddswireError } from '@oddswire/client';
import { expect } from 'chai';
import { type FaultyProxy, startFaultyProxy, status } from '../../support/client/faulty-proxy.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** With their main markets more than one page of a walk. */
const SUBS = 300;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
  return thrown instanceof OddswireError ? thrown.code : expect.fail(String(thrown));
};

describe('The client finds markets', () => {
  let service: Service;
  let proxy: FaultyProxy;
  let oddswire: Oddswire;
  before(async () => {
    service = await startService();
    const client = await Client.of(service);
    const items = Array.from({ length: SUBS }, (_, n) =>
      publication({ id: `ne_${n}`, related_markets: [market(`m${n}`, subMarket(`s${n}`))] }),
    );
    await publishAll(client, items);
    proxy = await startFaultyProxy(service.instances[0]?.url ?? '');
    oddswire = new Oddswire({ url: proxy.url, key: (await aKey(client)).key });
    // The directory follows the feed within a second (D65).
    const isListed = async () => (await oddswire.markets({ ref: `s${SUBS - 1}` })).unknown.length === 0;
    while (!(await isListed())) await setTimeout(50);
  });
  after(() => Promise.all([proxy.stop(), service.stop()]));

  it('by several references, and names the unknown ones', async () => {
    const ref = ['s7', 'https://www.markets.example/s8?utm_source=x', 'none,of these'];
    const { markets, unknown, next_cursor } = await oddswire.markets({ ref });
    expect(markets.map(({ market_id, kind, refs }) => [market_id, kind, refs])).to.have.deep.members([
      ['s7', 'sub', ['s7']],
      ['s8', 'sub', [ref[1]]],
    ]);
    expect([unknown, next_cursor]).to.deep.equal([['none,of these'], null]);
    expect((await oddswire.markets({ ref: 'm3' })).markets.map(({ kind }) => kind)).to.deep.equal(['main']);
  });

  it('by words, venue, kind and main market, in pages', async () => {
    const query = { q: 'happen', venue: 'markets.example', kind: 'sub', limit: 2 } as const;
    const first = await oddswire.markets(query);
    const next = await oddswire.markets({ ...query, cursor: first.next_cursor ?? '' });
    const { markets } = await oddswire.markets({ ...query, limit: 4 });
    expect(markets).to.have.length(4);
    expect([...first.markets, ...next.markets]).to.deep.equal(markets);
    expect((await oddswire.markets({ main_market_id: 'm5' })).markets[0]?.market_id).to.equal('s5');
  });

  it('all, each once, over several requests, of which one is repeated after 503', async () => {
    const before = proxy.requests.length;
    proxy.fail(status(503, { 'Retry-After': '0' }));
    const all = await oddswire.walkMarkets().toArray();
    const names = all.map(({ kind, market_id }) => `${kind} ${market_id}`);
    expect([names.length, new Set(names).size]).to.deep.equal([2 * SUBS, 2 * SUBS]);
    expect(proxy.requests.length - before).to.equal(3);
    expect(proxy.requests.at(-1))
      .to.match(/sort=id/)
      .and.match(/cursor=/);
    const main = await oddswire.walkMarkets({ kind: 'main', limit: 100 }).toArray();
    expect(main).to.have.length(SUBS);
  });

  it('and ends a walk whose pages repeat', async () => {
    proxy.failAll(() => status(200, JSON_TYPE, '{"markets":[],"next_cursor":"c","unknown":[]}'));
    expect(await codeOf(oddswire.walkMarkets().toArray())).to.equal('cursor_not_advancing');
    proxy.failAll(null);
  });

  it('and not in a response that is none of the service, or a refusal', async () => {
    const once = new Oddswire({ url: proxy.url, key: 'svc_none', retries: 0 });
    proxy.fail(status(200, JSON_TYPE, '{"items":[]}'));
    expect(await codeOf(once.markets())).to.equal('invalid_response');
    expect(await codeOf(once.markets())).to.equal('key_unknown');
    expect(await codeOf(oddswire.markets({ limit: 501 }))).to.equal('invalid_parameter');
  });

  it('until its signal is aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const reason = await oddswire
      .walkMarkets({}, { signal })
      .toArray()
      .catch((error: Error) => error.message);
    expect(reason).to.equal('enough');
  });
});
