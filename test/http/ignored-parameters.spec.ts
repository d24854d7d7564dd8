import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Reason } from '../../src/domain/accounts/reason.js';
import { askStream, eventStream, webSocketTo } from '../support/live/stream-callers.js';
import { accepted } from '../support/objects/builders.js';
import {
  type Answer,
  ask,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  publish,
  requestNews,
} from '../support/service/composed.js';
import { failingFeed } from '../support/service/middleware.js';

const listed = ({ headers }: Pick<Answer, 'headers'>) => headers['ignored-parameters'] as string | undefined;

describe('The parameters of a request that its call does not know', () => {
  let service: Composed;
  let holder: Holder;
  let key: Readonly<Record<string, string>>;
  const feed = failingFeed();
  before(async () => {
    service = await composed({ RATE_LIMIT_FREE_MINUTE: '3' }, feed.replace);
    await publish(service, 'ne_1', 'ne_2', 'ne_3');
  });
  beforeEach(async () => {
    holder = await keyHolder(service);
    key = { 'X-API-Key': holder.value };
  });
  after(() => service.stop());

  const answer = (target: string, headers: Readonly<Record<string, string>> = key) =>
    ask(`${service.url}${target}`, { headers });
  const [json, ndjson] = ['application/json', 'application/x-ndjson'];

  // biome-ignore format: a table is read by its columns
  const calls: readonly (readonly [target: string, accept: string, listed: string | undefined])[] = [
    ['/pm/v2/news',                                             json,   undefined],
    ['/pm/v2/news?limit=1&category=a&as_of=2026-03-02',         json,   undefined],
    ['/pm/v2/news?zone=a&Limit=1&limit=1&zone=b',               json,   'Limit, zone'],
    ['/pm/v2/news?after=x&wait=1&lastEventId=x',                json,   'after, lastEventId, wait'],
    ['/pm/v2/stream?lastEventId=&limit=1&wait=0&news_id=a',   json,   undefined],
    ['/pm/v2/stream?cursor=x&as_of=x',                          json,   'as_of, cursor'],
    ['/pm/v2/changes?lastEventId=&limit=1&wait=0&news_id=a',  json,   undefined],
    ['/pm/v2/changes?cursor=x&as_of=x',                         ndjson, 'as_of, cursor'],
    ['/pm/v2/history?limit=1&news_id=a&market_id=b',       json,   undefined],
    ['/pm/v2/history?cursor=x&limit=1',                         json,   'cursor'],
    ['/pm/v2/history?wait=1',                                   ndjson, 'wait'],
    ['/pm/v2/markets?limit=1&q=a&sort=id',                      json,   undefined],
    ['/pm/v2/markets?since=x&market_id=b',                      json,   'market_id, since'],
    ['/pm/v2/usage',                                            json,   undefined],
    ['/pm/v2/key?limit=1',                                      json,   'limit'],
    ['/pm/v2/usage?limit=1&b',                                  json,   'b, limit'],
    ['/pm/v2/usage/history?format=csv&since=x',                 json,   'since'],
  ];
  for (const [target, Accept, names] of calls) {
    it(`are listed by ${target} as ${names} (D13)`, async () => {
      const { status, headers } = await answer(target, { ...key, Accept });
      expect(listed({ headers })).to.equal(names);
      expect(headers['access-control-expose-headers']).to.include('Ignored-Parameters');
      // `as_of` and `category` exclude each other, and both are known.
      expect(status).to.equal(target.includes('as_of=2026') ? 400 : 200);
    });
  }

  it('are listed beside a key in the query, whose name is known (D16)', async () => {
    for (const path of ['news', 'changes', 'history', 'markets', 'key', 'usage', 'usage/history']) {
      const { status, headers } = await answer(`/pm/v2/${path}?api_key=${holder.value}&x=1`, {});
      expect([path, status, listed({ headers })]).to.deep.equal([path, 200, 'x']);
    }
  });

  it('are listed for each query separately, though the answers have the same page', async () => {
    for (const [query, names] of [
      ['limit=2&a=1', 'a'],
      ['limit=2', undefined],
      ['limit=2&b=1', 'b'],
      ['limit=2&a=1', 'a'],
    ] as const) {
      const plain = await requestNews(service, holder.value, {}, `?${query}`);
      const packed = await requestNews(service, holder.value, { 'Accept-Encoding': 'gzip' }, `?${query}`);
      const tag = { 'If-None-Match': plain.headers.etag ?? '' };
      const known = await requestNews(service, holder.value, tag, `?${query}`);
      const head = await ask(`${service.url}/pm/v2/news?${query}`, { method: 'HEAD', headers: key });
      expect([plain, packed, known, head].map(({ status }) => status)).to.deep.equal([200, 200, 304, 200]);
      expect([plain, packed, known, head].map(listed)).to.deep.equal([names, names, names, names]);
    }
  });

  it('are listed by each refusal of a known key, and not without one', async () => {
    const paths = ['/pm/v2/news', '/pm/v2/history', '/pm/v2/stream', '/pm/v2/usage'].map(
      (path) => `${path}?x=1`,
    );
    const all = async (headers: Readonly<Record<string, string>>) => {
      const answers: (readonly [number, string | undefined])[] = [];
      for (const path of paths) {
        const { status, headers: sent } = await answer(path, { Accept: json, ...headers });
        answers.push([status, listed({ headers: sent })]);
      }
      return answers;
    };
    expect(await all({})).to.deep.equal(paths.map(() => [401, undefined]));
    const unknown = { 'X-API-Key': `svc_${'A'.repeat(43)}` };
    expect(await all(unknown)).to.deep.equal(paths.map(() => [401, undefined]));
    accepted(await service.parts.revokeKey(holder.key.id, 'manual', 'a test' as Reason, 'operator'));
    expect(await all(key)).to.deep.equal(paths.map(() => [401, 'x']));
    const free = { 'X-API-Key': (await keyHolder(service, 'free')).value };
    for (const _ of [1, 2, 3]) await answer('/pm/v2/news', free);
    const limited = [429, 'x'];
    expect(await all(free)).to.deep.equal([limited, limited, limited, [200, 'x']]);
  });

  it('are listed by 400 beside its faults, and by 503', async () => {
    const faulty = await answer('/pm/v2/news?limit=0&zone=1');
    expect([faulty.status, listed(faulty)]).to.deep.equal([400, 'zone']);
    const stream = await answer('/pm/v2/stream?after=x&color=1');
    expect([stream.status, listed(stream)]).to.deep.equal([400, 'color']);
    feed.isAway = true;
    const away = await answer('/pm/v2/news?x=1');
    feed.isAway = false;
    expect([away.status, listed(away)]).to.deep.equal([503, 'x']);
  });

  it('are not listed if they can be keys or break a header (D19)', async () => {
    const names = [
      `svc_${'A'.repeat(20)}`,
      `%73VC_${'b'.repeat(20)}`,
      'a%0D%0Ab',
      'x'.repeat(33),
      '%ff',
      '%C3%BC',
    ];
    const query = `?${names.join('=1&')}=1`;
    for (const path of ['/pm/v2/news', '/pm/v2/history', '/pm/v2/usage']) {
      expect(listed(await answer(`${path}${query}`))).to.equal(undefined);
      expect(listed(await answer(`${path}${query}&z`))).to.equal('z');
    }
  });

  it('are in the header and in `ready` of an event stream', async () => {
    const [listing, plain] = [await eventStream(service, key, '?color=a&b'), await eventStream(service, key)];
    await listing.until('"ignored":["b","color"]}\n\n');
    await plain.until('event: ready');
    expect(listed(listing)).to.equal('b, color');
    expect([listed(plain), plain.text().includes('ignored')]).to.deep.equal([undefined, false]);
    for (const stream of [listing, plain]) stream.close();
  });

  it('are in the header and in `ready` of a WebSocket', async () => {
    const caller = await webSocketTo(service, key, '?color=a&market_id=m&limit=3');
    await caller.until('"ignored":["color"]');
    expect(listed(caller)).to.equal('color');
    caller.webSocket.terminate();
  });

  it('are in the header and in the body of a batch, compressed or not', async () => {
    const since = 'since=2026-03-01';
    const batch = (query: string, headers = {}) => askStream(service, 'batch', { ...key, ...headers }, query);
    const [plain, packed, empty, none] = [
      await batch(`?${since}&x&a`),
      await batch(`?${since}&x&a`, { 'Accept-Encoding': 'gzip' }),
      await batch('?x&a'),
      await batch(`?${since}`),
    ];
    expect(packed.headers['content-encoding']).to.equal('gzip');
    const body = JSON.parse(gunzipSync(packed.body).toString()) as object;
    expect(body).to.deep.equal(plain.json<object>());
    for (const sent of [body, empty.json<object>()]) expect(sent).to.deep.include({ ignored: ['a', 'x'] });
    expect([plain, packed, empty, none].map(listed)).to.deep.equal(['a, x', 'a, x', 'a, x', undefined]);
    expect(none.json<object>()).to.not.have.property('ignored');
  });
});
