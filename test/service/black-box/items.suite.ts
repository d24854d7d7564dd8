import { expect } from 'chai';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import {
  advance,
  aKey,
  ndjson,
  page,
  problem,
  publishAll,
  type ServiceUnderTest,
  unique,
} from '../../support/service/api-calls.js';
import type { Reply } from '../../support/service/client.js';

/** The fields of contract section 2, written by hand and independent of the schemas in `src`. */
// biome-ignore format: a list is read by its objects
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': ['items', 'next_cursor'],
  '/items/0': ['news_event', 'related_markets', 'meta'],
  '/items/0/meta': ['content_type', 'not_investment_advice', 'not_trading_signal'],
  '/items/0/news_event': [
    'id', 'headline', 'short_headline', 'source_news_url', 'source_name', 'source_type', 'source_tier',
    'source_url', 'short_context', 'long_context', 'author', 'feed_categories', 'source_published_at',
    'endpoint_published_at', 'aggregate_event_relevance',
  ],
  '/items/0/news_event/aggregate_event_relevance': ['bucket'],
  '/items/0/related_markets/0': ['main_market', 'market_relationship', 'sub_markets'],
  '/items/0/related_markets/0/main_market': [
    'market_id', 'market_url', 'market_title', 'outcomes', 'news_effect', 'market_snapshot',
    'thin_liquidity', 'momentum',
  ],
  '/items/0/related_markets/0/market_relationship': ['bucket', 'summary'],
  '/items/0/related_markets/0/sub_markets/0': [
    'sub_market_id', 'sub_market_title', 'market_url', 'outcomes', 'news_effect', 'market_snapshot', 'momentum',
  ],
  '/items/0/related_markets/0/sub_markets/0/outcomes': ['yes', 'no'],
  '/items/0/related_markets/0/sub_markets/0/outcomes/yes': ['token_id'],
  '/items/0/related_markets/0/sub_markets/0/outcomes/no': ['token_id'],
  '/items/0/related_markets/0/sub_markets/0/news_effect': [
    'affected_outcome', 'effect', 'relevance_bucket', 'rationale',
  ],
  '/items/0/related_markets/0/sub_markets/0/market_snapshot': [
    'yes_ask', 'no_ask', 'volume_24h', 'total_volume', 'yes_ask_source', 'no_ask_source',
    'yes_tick_age_seconds', 'no_tick_age_seconds', 'note',
  ],
  '/items/0/related_markets/0/sub_markets/0/momentum': ['passed', 'pre_move_pp', 'criteria', 'config'],
};

const META = {
  content_type: 'event_driven_market_intelligence',
  not_investment_advice: true,
  not_trading_signal: true,
};

/** The property names of each object by its JSON pointer. Of each array, only the first element is visited. */
function objectsOf(node: unknown, path = ''): readonly (readonly [string, readonly string[]])[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.length === 0 ? [] : objectsOf(node[0], `${path}/0`);
  const below = Object.entries(node).flatMap(([name, child]) => objectsOf(child, `${path}/${name}`));
  return [[path, Object.keys(node)], ...below];
}

type Rejected = { readonly rejected: readonly { readonly errors: readonly object[] }[] };
const errorsOf = ({ json }: Reply) => (json as Rejected).rejected.map(({ errors }) => errors);

/** Contract section 2, D3, D6, D7, D10 and D41: how a published item is served. */
export function itemsSuite({ client }: ServiceUnderTest): void {
  describe('an item', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const read = (query: string) => client().news(key, query);
    const scoredAt = async (id: string) => {
      const head = (await read('?limit=1')).headers['feed-head'] ?? '';
      expect(page(await read(`?news_id=${id}&since=${head}`)).items).to.have.length(1);
      return head;
    };

    it('has every field of contract section 2, and no other', async () => {
      const id = unique();
      await publishAll(client(), [publication({ id, scored_at: '2026-01-01' })]);
      const objects = Object.fromEntries(objectsOf((await read(`?news_id=${id}`)).json));
      expect(Object.keys(objects)).to.have.members(Object.keys(FIELDS));
      for (const [path, fields] of Object.entries(FIELDS)) {
        expect(objects[path], path || 'the page').to.have.members(fields);
      }
    });

    it('is served as published, with `meta` added and all times in one format (D3, D10, D41)', async () => {
      const id = unique();
      const sent = publication({
        id,
        source_published_at: '2026-03-01t13:00:00.5+02:00',
        endpoint_published_at: '2026-03-01',
        related_markets: [market('m1', subMarket(`${id}-s`, '2026-01-01T00:00:00Z'))],
      });
      await publishAll(client(), [sent], '?mode=backfill');
      expect(page(await read(`?news_id=${id}`)).items).to.deep.equal([
        {
          news_event: {
            ...sent.news_event,
            source_published_at: '2026-03-01T11:00:00.500000Z',
            endpoint_published_at: '2026-03-01T00:00:00.000000Z',
          },
          related_markets: [market('m1', subMarket(`${id}-s`))],
          meta: META,
        },
      ]);
    });

    it('gets the current time as `endpoint_published_at` if it has none (D41)', async () => {
      const id = unique();
      const before = await advance(client(), 0);
      await publishAll(client(), [publication({ id })]);
      const after = await advance(client(), 0);
      const [item] = page(await read(`?news_id=${id}`)).items;
      const { endpoint_published_at } = { ...item?.news_event } as {
        readonly endpoint_published_at?: string;
      };
      expect(endpoint_published_at).to.be.a('string');
      expect([before, endpoint_published_at, after]).to.deep.equal(
        [before, endpoint_published_at, after].toSorted(),
      );
    });

    it('is scored at the latest of its own and its sub-markets’ times (D6)', async () => {
      const now = await advance(client(), 60);
      const times = [10, 30, 20].map((second) => `${now.slice(0, 11)}${now.slice(11, 17)}${second}.000001Z`);
      const [own, latest, other] = times.map((time) => time.replace(now.slice(0, 10), '1999-01-01'));
      const id = unique();
      const related_markets = [
        market('m', subMarket('a', latest ?? '')),
        market('n', subMarket('b', other ?? '')),
      ];
      const sent = publication({ id, scored_at: own ?? '', related_markets });
      await publishAll(client(), [sent], '?mode=backfill');
      const window = `news_id=${id}&since=${latest}`;
      expect(page(await read(`?${window}`)).items).to.have.length(1);
      const later = `${latest?.slice(0, -2)}2Z`;
      expect(page(await read(`?news_id=${id}&since=${later}`)).items).to.have.length(0);
    });

    it('is scored one microsecond above the head if its time is older (D7)', async () => {
      await publishAll(client(), [publication({ id: unique() })]);
      const head = (await read('?limit=1')).headers['feed-head'] ?? '';
      const id = unique();
      await publishAll(client(), [publication({ id, scored_at: '2020-01-01' })]);
      const next = await scoredAt(id);
      const micros = (at: string) => BigInt(Date.parse(at)) * 1_000n + BigInt(at.slice(-4, -1));
      expect(micros(next) - micros(head)).to.equal(1n);
    });

    it('is scored one microsecond later for each item with the same time, also in a backfill (D6)', async () => {
      const ids = [unique(), unique(), unique()];
      const time = `1990-05-05T05:05:05.${String(Date.now()).slice(-5)}0Z`;
      const feed = ids.map((id) => publication({ id, scored_at: time }));
      await publishAll(client(), feed, '?mode=backfill');
      const found = [];
      for (const id of ids) {
        const low = [0, 1, 2].map((micro) => `${time.slice(0, -2)}${micro}Z`);
        const hits = [];
        for (const since of low) hits.push(page(await read(`?news_id=${id}&since=${since}`)).items.length);
        found.push(hits);
      }
      expect(found).to.deep.equal([
        [1, 0, 0],
        [1, 1, 0],
        [1, 1, 1],
      ]);
    });

    it('may be scored at most 5 s ahead of the clock (D7)', async () => {
      const now = await advance(client(), 0);
      const ahead = (seconds: number) => new Date(Date.parse(now) + seconds * 1_000).toISOString();
      const taken = await client().publish(ndjson([publication({ id: unique(), scored_at: ahead(4) })]));
      expect((taken.json as { accepted: number }).accepted).to.equal(1);
      const late = market('m', subMarket('s', ahead(3_600)));
      for (const fields of [{ scored_at: ahead(3_600) }, { related_markets: [late] }]) {
        const refused = await client().publish(ndjson([publication({ id: unique(), ...fields })]));
        expect(JSON.stringify(errorsOf(refused))).to.include('scored_at_in_future');
      }
      await advance(client(), 5); // The head is no longer ahead of the clock.
    });

    it('is refused for each missing field, with the path of the field (D41)', async () => {
      const whole = publication({ id: unique(), scored_at: '2026-01-01' });
      const paths = objectsOf(whole).flatMap(([path, names]) => names.map((name) => `${path}/${name}`));
      const required = paths.filter((path) => path !== '/scored_at');
      expect(required.length).to.be.greaterThan(50);
      const lines = required.map((path) => {
        const copy: unknown = structuredClone(whole);
        const names = path.slice(1).split('/');
        const holder = names.slice(0, -1).reduce((node, name) => node[name] as Holder, copy as Holder);
        delete holder[names.at(-1) ?? ''];
        return JSON.stringify(copy);
      });
      const reported = errorsOf(await client().publish(lines.join('\n')));
      expect(reported.map(([first]) => first)).to.deep.equal(
        required.map((parameter) => ({ parameter, code: 'missing', message: 'is missing' })),
      );
    });

    it('is refused with a value in a field that contract section 2.5 shows as null only (D41)', async () => {
      for (const name of ['outcomes', 'news_effect', 'market_snapshot', 'thin_liquidity', 'momentum']) {
        const plain = market('m', subMarket('s'));
        const main_market = { ...plain.main_market, [name]: {} };
        const line = JSON.stringify({ ...publication(), related_markets: [{ ...plain, main_market }] });
        const [errors = []] = errorsOf(await client().publish(line));
        expect(errors[0]).to.include({
          parameter: `/related_markets/0/main_market/${name}`,
          code: 'invalid_type',
        });
      }
    });
  });

  describe('a filter by content (D57)', () => {
    const tag = `w${unique()
      .replaceAll(/[^a-z0-9]/gi, '')
      .toLowerCase()}`;
    const CONTENTS: readonly (readonly [id: string, fields: object])[] = [
      ['a', { headline: `${tag} Fed cuts`, feed_categories: ['economy', 'politics'], source_tier: 't1' }],
      ['b', { headline: `${tag} Fed holds`, feed_categories: ['economy'], source_tier: 't2' }],
      ['c', { headline: `${tag} Élections`, aggregate_event_relevance: { bucket: 'low' } }],
    ];
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
      const items = CONTENTS.map(([id, fields]) => {
        const plain = publication({ id: `${tag}-${id}` });
        return { ...plain, news_event: { ...plain.news_event, ...fields } };
      });
      await publishAll(client(), items);
    });
    const found = async (query: string): Promise<string> => {
      const { items } = page(await client().news(key, `?${query}`));
      return items.map(({ news_event }) => news_event.id.slice(-1)).join('');
    };

    it('selects items by code and by word, whatever the case and the accents of a word', async () => {
      expect(await found(`q=${tag}`)).to.equal('cba');
      expect(await found(`q=${tag.toUpperCase()}+fed`)).to.equal('ba');
      expect(await found(`q=elections+${tag}`)).to.equal('c');
      expect(await found(`q=${tag}&category=politics,sports`)).to.equal('a');
      expect(await found(`q=${tag}&category=Economy`)).to.equal('');
      expect(await found(`q=${tag}&source_tier=t2&relevance=high`)).to.equal('b');
      expect(await found(`q=${tag}&relevance=low&news_id=${tag}-c&market_id=s1`)).to.equal('c');
      expect(await found(`q=${tag}&market_id=none`)).to.equal('');
    });

    it('applies to each page of a walk, and each page but the last is full', async () => {
      const first = page(await client().news(key, `?q=${tag}&limit=2`));
      expect([first.items.length, first.next_cursor]).to.not.include(null);
      const second = page(await client().news(key, `?q=${tag}&limit=2&cursor=${first.next_cursor}`));
      expect([first.items.length, second.items.length, second.next_cursor]).to.deep.equal([2, 1, null]);
    });

    it('follows a replacement and a retraction, on pages and in a stream', async () => {
      const { headers } = await client().news(key, '?limit=1');
      const plain = publication({ id: `${tag}-b` });
      await publishAll(client(), [
        { ...plain, news_event: { ...plain.news_event, headline: `${tag} Bank` } },
      ]);
      expect([await found(`q=${tag}+fed`), await found(`q=${tag}+bank`)]).to.deep.equal(['a', 'b']);
      const batch = (query: string) =>
        client().ask(`/pm/v2/stream?after=${headers['feed-position']}&wait=5&${query}`, {
          headers: { 'X-API-Key': key, Accept: 'application/json' },
        });
      const types = async (query: string) => {
        const { messages } = (await batch(query)).json as {
          readonly messages: readonly { readonly type: string; readonly id?: string }[];
        };
        return messages.map(({ type, id = '' }) => [type, id]);
      };
      expect(await types(`q=${tag}+bank`)).to.deep.equal([['item', '']]);
      expect(await types(`q=${tag}+fed`)).to.deep.equal([['retraction', `${tag}-b`]]);
      expect((await batch('q=a+b+c+d+e')).status).to.equal(400);
      await client().retract(`${tag}-b`);
      expect([await found(`q=${tag}+bank`), await found(`q=${tag}`)]).to.deep.equal(['', 'ca']);
    });

    it('is refused with all other bad parameters at once', async () => {
      const reply = await client().news(key, '?q=-&category=a,,b&relevance=&limit=0');
      const { errors } = problem(reply) as { readonly errors: readonly { readonly parameter: string }[] };
      expect([reply.status, errors.map(({ parameter }) => parameter).sort()]).to.deep.equal([
        400,
        ['category', 'limit', 'q', 'relevance'],
      ]);
    });
  });
}

type Holder = Record<string, unknown>;
