import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { FeedItem, PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { askStream, BATCH_PATHS, eventStream, webSocketTo } from '../../support/live/stream-callers.js';
import { accepted, market, publication, subMarket } from '../../support/objects/builders.js';
import { type Answer, ask, type Composed, composed, keyHolder } from '../../support/service/composed.js';

type Sub = ReturnType<typeof subMarket>;

/** A sub-market with tokens and a page of its own. */
const sub = (id: string, url: string, effect: string, outcome: string, passed: boolean): Sub => {
  const base = subMarket(id);
  return {
    ...base,
    market_url: url,
    outcomes: { yes: { token_id: `${id}-yes` }, no: { token_id: `${id}-no` } },
    news_effect: { ...base.news_effect, effect, affected_outcome: outcome },
    momentum: { ...base.momentum, passed },
  };
};

const STRAIT = 'https://polymarket.com/event/strait-opens';
const TALKS = 'https://kalshi.com/markets/kxhalvex/peace-talks/kxhalvex-30';

/** Two questions about one strait, and one about talks. */
const relatedOf = (id: string) => [
  market(
    'm-strait',
    sub('may', `${STRAIT}/opens-in-may?tid=1`, 'supports', 'YES', true),
    sub('june', `${STRAIT}/opens-in-june?tid=2`, 'weakens', 'NO', false),
  ),
  market(`m-talks-${id}`, sub(`talks-${id}`, TALKS, 'supports', 'YES', true)),
];

const published = (
  id: string,
  event: Partial<PublicationInput['news_event']>,
  related_markets: PublicationInput['related_markets'],
): PublicationInput => {
  const base = publication({ id, related_markets });
  return { ...base, news_event: { ...base.news_event, ...event } };
};

const ITEMS: readonly PublicationInput[] = [
  published('wire', { source_name: 'Meridian Wire', author: 'L. O’Brien' }, relatedOf('wire')),
  published('desk', { source_name: 'Desk, North', source_type: 'wire' }, [
    market('m-frost', sub('frost', 'https://manifold.example/frost', 'unclear', 'NO', false)),
  ]),
];

/** The ids of the items, each with the ids of its sub-markets. */
const shown = (items: readonly FeedItem[]): readonly string[] =>
  items.map(({ news_event: event, related_markets: markets }) => {
    const subs = markets.flatMap(({ sub_markets }) => sub_markets.map(({ sub_market_id: id }) => id));
    return `${event.id}: ${subs.join(' ')}`;
  });

type Message = { readonly type: string; readonly item: FeedItem };
type Batch = { readonly messages: readonly Message[]; readonly filters?: readonly string[] };
type History = { readonly changes: readonly { readonly item: FeedItem | null }[] };

const SINCE = 'since=2026-03-01';
const encoded = encodeURIComponent;

describe('The filters by content over HTTP', () => {
  let service: Composed;
  let key: Readonly<Record<string, string>>;
  before(async () => {
    service = await composed();
    for (const answer of await service.parts.publishNews(ITEMS, 'live')) accepted(answer);
    key = { 'X-API-Key': (await keyHolder(service)).value };
  });
  after(() => service.stop());

  const get = (target: string): Promise<Answer> =>
    ask(`${service.url}/pm/v2/${target}`, { headers: { ...key, Accept: 'application/json' } });
  const filtersOf = ({ headers }: Answer): unknown => headers['feed-filters'];

  /** What each call shows for a filter, oldest first. */
  const everywhere = async (query: string) => {
    const [page, batch, changes, history] = await Promise.all([
      get(`news?${query}`),
      get(`stream?${SINCE}&${query}`),
      get(`changes?${SINCE}&${query}`),
      get(`history?${query}`),
    ]);
    return {
      page: shown([...page.json<{ items: readonly FeedItem[] }>().items].reverse()),
      batch: shown(batch.json<Batch>().messages.map(({ item }) => item)),
      changes: shown(changes.json<Batch>().messages.map(({ item }) => item)),
      history: shown(history.json<History>().changes.flatMap(({ item }) => item ?? [])),
    };
  };
  const same = (expected: readonly string[]) => ({
    ...{ page: expected, batch: expected, changes: expected, history: expected },
  });

  const all = ['wire: may june talks-wire', 'desk: frost'];
  const [wire] = all as [string, string];
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [query: string, items: readonly string[]])[] = [
    ['market=m-strait',                                       ['wire: may june']],
    ['market=june',                                           ['wire: june']],
    ['market=may-no',                                         ['wire: may']],
    [`market=${encoded(`${STRAIT}/opens-in-june?tid=2`)}`,    ['wire: june']],
    [`market=${encoded('www.kalshi.com/markets/kxhalvex/peace-talks/kxhalvex-30/?utm_source=x')}`, ['wire: talks-wire']],
    ['market=kxhalvex-30',                                     ['wire: talks-wire']],
    ['market=may&market=frost',                               ['wire: may', 'desk: frost']],
    ['market=nothing',                                        []],
    ['market=m-strait&market_id=june',                        ['wire: june']],
    ['market=may&market_id=june',                             ['wire: may june']],
    ['market=frost&market_id=june',                           []],
    ['market=m-strait&effect=unclear',                        []],
    ['source=meridian-wire',                                  [wire]],
    ['source=Meridian+WIRE,other',                            [wire]],
    ['source=desk-north',                                     ['desk: frost']],
    ['source_type=rss',                                       [wire]],
    ['source_type=RSS',                                       []],
    ['author=l-o-brien',                                      [wire]],
    ['author=l-o-brien&source=north',                         []],
    ['effect=weakens',                                        [wire]],
    ['effect=weakens,unclear',                                all],
    ['outcome=YES',                                           [wire]],
    ['momentum=failed',                                       all],
    ['momentum=passed&outcome=NO',                            [wire]],
    ['venue=www.polymarket.com',                              [wire]],
    ['venue=manifold.example',                                ['desk: frost']],
    ['venue=manifold.example&momentum=passed',                []],
  ];
  for (const [query, items] of cases)
    it(`select the same items on pages, in batches and in the history: ${query} (D57, D65)`, async () => {
      expect(await everywhere(query)).to.deep.equal(same(items));
    });

  it('narrow a page again for each market, though the same items are on it (D65)', async () => {
    for (const [reference, items] of [
      ['may', ['wire: may']],
      ['june', ['wire: june']],
      ['m-strait', ['wire: may june']],
      ['may', ['wire: may']],
    ] as const) {
      const page = await get(`news?market=${reference}`);
      expect(shown(page.json<{ items: readonly FeedItem[] }>().items)).to.deep.equal(items);
    }
  });

  it('take at most 20 references (D65)', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `market=x${i}`).join('&');
    for (const path of ['news', 'stream', 'changes', 'history']) {
      expect([path, (await get(`${path}?${many(20)}`)).status]).to.deep.equal([path, 200]);
      const { status, json } = await get(`${path}?${many(21)}`);
      const faults = json().errors?.map(({ parameter, code }) => [parameter, code]);
      expect([path, status, faults?.[0]?.[0]]).to.deep.equal([path, 400, 'market']);
    }
  });

  it('are refused together with `as_of` (D60)', async () => {
    const { status, json } = await get('news?as_of=2026-03-02&market=may&venue=a.example&source=b');
    const faults = json().errors?.map(({ parameter, code }) => `${parameter} ${code}`);
    expect([status, faults?.toSorted()]).to.deep.equal([
      400,
      ['market not_with_as_of', 'source not_with_as_of', 'venue not_with_as_of'],
    ]);
  });

  it('are named by `Feed-Filters`, sorted, which other web pages may read (D65)', async () => {
    const query = 'venue=polymarket.com&market=may&market=june&q=talks&market_id=may&news_id=wire&limit=1';
    const names = 'market, market_id, news_id, q, venue';
    for (const path of ['news', 'stream', 'changes', 'history']) {
      const filtered = await get(`${path}?${query}`);
      const plain = await get(`${path}?limit=1`);
      expect([path, filtersOf(filtered), filtersOf(plain)]).to.deep.equal([path, names, undefined]);
      expect(filtered.headers['access-control-expose-headers']).to.include('Feed-Filters');
    }
  });

  it('are named by a page without change or body, compressed or not, and not by a refusal (D65)', async () => {
    const url = `${service.url}/pm/v2/news?effect=supports`;
    const plain = await ask(url, { headers: key });
    const packed = await ask(url, { headers: { ...key, 'Accept-Encoding': 'gzip' } });
    const known = await ask(url, { headers: { ...key, 'If-None-Match': plain.headers.etag ?? '' } });
    const head = await ask(url, { method: 'HEAD', headers: key });
    const refused = await ask(`${url}&limit=0`, { headers: key });
    const answers = [plain, packed, known, head, refused];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 304, 200, 400]);
    expect(answers.map(filtersOf)).to.deep.equal(['effect', 'effect', 'effect', 'effect', undefined]);
  });

  it('are named by the lines of the history (D65)', async () => {
    const answer = await ask(`${service.url}/pm/v2/history?author=l-o-brien`, {
      headers: { ...key, Accept: 'application/x-ndjson' },
    });
    expect([answer.status, filtersOf(answer)]).to.deep.equal([200, 'author']);
  });

  it('are named by batches, compressed or not, also by empty ones (D65)', async () => {
    for (const path of BATCH_PATHS) {
      const batch = (query: string, headers = {}) =>
        askStream(service, 'batch', { ...key, ...headers }, query, path);
      const filtered = `?${SINCE}&outcome=YES&market=may&zone=1`;
      const packed = await batch(filtered, { 'Accept-Encoding': 'gzip' });
      const answers = [(await batch(filtered)).json<Batch>(), (await batch('?author=none')).json<Batch>()];
      const unpacked = JSON.parse(gunzipSync(packed.body).toString()) as Batch;
      const filters = [unpacked, ...answers].map((body) => body.filters);
      expect(filters).to.deep.equal([['market', 'outcome'], ['market', 'outcome'], ['author']]);
      expect((await batch(`?${SINCE}`)).json<Batch>()).to.not.have.property('filters');
    }
  });

  it('are named by `ready` of an event stream, which sends what they match (D65)', async () => {
    const query = `?${SINCE}&market=may&source=meridian-wire`;
    const [filtered, plain] = [await eventStream(service, key, query), await eventStream(service, key)];
    await filtered.until('event: live');
    await plain.until('event: ready');
    expect(filtered.headers['feed-filters']).to.equal('market, source');
    expect(filtered.text()).to.include('"filters":["market","source"]}\n\n');
    const items = filtered
      .text()
      .split('\n')
      .filter((line) => line.startsWith('data: ') && line.includes('"type":"item"'))
      .map((line) => (JSON.parse(line.slice('data: '.length)) as Message).item);
    expect(shown(items)).to.deep.equal(['wire: may']);
    expect([plain.headers['feed-filters'], plain.text().includes('filters')]).to.deep.equal([
      undefined,
      false,
    ]);
    for (const stream of [filtered, plain]) stream.close();
  });

  it('are named by `ready` of a WebSocket (D65)', async () => {
    const caller = await webSocketTo(service, key, '?venue=kalshi.com&market=may');
    await caller.until('"filters":["market","venue"]}\n');
    expect(caller.headers['feed-filters']).to.equal('market, venue');
    caller.webSocket.terminate();
  });
});
