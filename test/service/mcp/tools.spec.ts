import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { Agent, type Result } from '../../support/mcp/agents.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { aKey, type KeyView, publishAll, startOfMinute } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const KB = 1_024;
const BYTES_MAX = 60 * KB;
const LONG = 3 * KB;

/** Items of about 5 KB about one market. */
const item = (n: number, bytes = LONG) => {
  const { news_event, ...rest } = publication({
    id: `ne_${n}`,
    related_markets: [market('m1', subMarket('s1'), subMarket(`s_${n}`))],
  });
  return {
    ...rest,
    news_event: { ...news_event, headline: `Headline ${n}`, long_context: 'x'.repeat(bytes) },
  };
};

type Versions = { readonly versions: readonly object[]; readonly versions_left_out: number };

const LARGE = 15;
let renewals = 0;

/** The item with another text, so that its publication is a change (D11). */
const renewed = ({ news_event, ...rest }: ReturnType<typeof item>): ReturnType<typeof item> => {
  renewals += 1;
  return { ...rest, news_event: { ...news_event, short_context: `Renewed ${renewals} times.` } };
};

const ITEMS = Array.from({ length: 30 }, (_, n) => item(n, n === LARGE ? 70 * KB : LONG));

const idsOf = ({ items }: Result) => items.map(({ news_id }) => news_id);
const bytesOf = (result: unknown) => Buffer.byteLength(JSON.stringify(result));

type Open = (url: string, key: string) => Promise<Agent>;

const TRANSPORTS: Readonly<Record<string, Open>> = {
  'HTTP, protocol 2026-07-28': (url, key) => Agent.overHttp(url, key),
  'HTTP, protocol 2025-11-25': (url, key) => Agent.overHttp(url, key, 'handshake'),
  'standard input and output': (url, key) => Agent.overStdio(url, key),
};

describe('The tools for agents', () => {
  let service: Service;
  let client: Client;
  let key: KeyView;
  const agents = new Map<string, Agent>();
  const url = () => service.instances[0]?.url ?? '';
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    await publishAll(client, ITEMS);
    key = await aKey(client);
    await Promise.all(
      Object.entries(TRANSPORTS).map(async ([name, open]) => agents.set(name, await open(url(), key.key))),
    );
    // The directory follows the feed within a second (D65).
    const listed = () => client.ask('/pm/v2/markets?ref=s_29', { headers: { 'X-API-Key': key.key } });
    while ((await listed()).text.includes('"unknown":["')) await setTimeout(50);
  });
  after(async () => {
    await Promise.all([...agents.values()].map((agent) => agent.close()));
    await service.stop();
  });

  const used = async (agent: Agent) => (await agent.call('usage')).limits[0]?.used ?? Number.NaN;

  for (const name of Object.keys(TRANSPORTS)) {
    describe(`over ${name}`, () => {
      let agent: Agent;
      before(() => {
        agent = agents.get(name) as Agent;
      });

      it('are six that only read, each with a schema of its result', async () => {
        const { tools } = await agent.client.listTools();
        expect(JSON.stringify(tools).length / 4).to.be.at.most(4_000);
        const names = tools.map((tool) => tool.name);
        expect(names).to.deep.equal([
          ...['find_markets', 'search_news', 'get_news', 'news_for_market', 'watch_market', 'usage'],
        ]);
        for (const { annotations, outputSchema, inputSchema, description } of tools) {
          expect(annotations).to.include({
            readOnlyHint: true,
            destructiveHint: false,
            openWorldHint: false,
          });
          expect(outputSchema).to.have.property('type', 'object');
          expect(inputSchema).to.have.property('additionalProperties', false);
          expect(description).to.match(/\bquota\b/);
        }
        expect(agent.client.getInstructions()).to.match(/prediction market.*as published.*next_cursor/s);
      });

      it('walk through all items in results of at most 25 items of 300 tokens, without a gap', async () => {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const result: Result = await agent.call('search_news', { limit: 25, ...(cursor && { cursor }) });
          expect(bytesOf(result)).to.be.at.most(BYTES_MAX);
          for (const each of result.items) expect(bytesOf(each)).to.be.at.most(1_200);
          if (result.next_cursor !== null && cursor !== null)
            expect(result.next_cursor < cursor).to.equal(true);
          seen.push(...idsOf(result));
          cursor = result.next_cursor;
        } while (cursor !== null);
        expect(seen).to.deep.equal(ITEMS.map(({ news_event }) => news_event.id).toReversed());
      });

      it('do not show a whole item that is too large', async () => {
        expect(await agent.refused('get_news', { news_id: `ne_${LARGE}` })).to.have.property(
          'code',
          'item_too_large',
        );
      });

      it('search by words and codes', async () => {
        expect(idsOf(await agent.call('search_news', { q: 'headline 7' }))).to.deep.equal(['ne_7']);
        expect(
          (await agent.call('search_news', { category: 'none', relevance: 'high' })).items,
        ).to.deep.equal([]);
        expect((await agent.call('search_news')).items.length).to.equal(10);
        const question = 'What is the newest about headline 7 of them all';
        const { items, query_words } = await agent.call('search_news', { q: question });
        expect([items.map(({ news_id }) => news_id), query_words]).to.deep.equal([
          ['ne_7'],
          ['7', 'headline'],
        ]);
      });

      it('search between two times', async () => {
        const { next_cursor: since } = await agent.call('search_news', { limit: 20 });
        const { next_cursor: until } = await agent.call('search_news', { limit: 10 });
        const between = await agent.call('search_news', { since, until, limit: 25 });
        const all = ITEMS.map(({ news_event }) => news_event.id).toReversed();
        expect(idsOf(between)).to.deep.equal(all.slice(10, 20));
      });

      it('find markets by words, by a URL, and by what they belong to', async () => {
        const idsFound = async (args: object) =>
          (await agent.call('find_markets', { ...args })).markets.map(({ market_id, kind }) => [
            kind,
            market_id,
          ]);
        expect(await idsFound({ q: 's_7' })).to.deep.equal([['sub', 's_7']]);
        expect(await idsFound({ ref: 'https://markets.example/s_3?utm_source=x' })).to.deep.equal([
          ['sub', 's_3'],
        ]);
        expect(await idsFound({ kind: 'main', venue: 'markets.example' })).to.deep.equal([['main', 'm1']]);
        expect(await idsFound({ main_market_id: 'm1', limit: 25 })).to.have.length(25);
      });

      it('read one item, and the items of one market with only this market', async () => {
        const { item: found } = (await agent.call('get_news', { news_id: 'ne_3' })) as unknown as {
          readonly item: object;
        };
        const reply = await client.news(key.key, '?news_id=ne_3');
        expect(found).to.deep.equal((reply.json as { readonly items: readonly object[] }).items[0]);
        const ofMarket = await agent.call('news_for_market', { market_id: 's_3' });
        expect(idsOf(ofMarket)).to.deep.equal(['ne_3']);
        expect(ofMarket.items[0]?.markets).to.deep.equal([
          {
            market_id: 's_3',
            market_title: 'Will s_3 happen?',
            yes_ask: 0.61,
            affected_outcome: 'YES',
            effect: 'supports',
            rationale: 'It brings it closer.',
          },
        ]);
      });

      it('read the versions of one item, with what its publisher changed', async () => {
        const { news_event, ...rest } = renewed(item(4));
        await publishAll(client, [{ news_event, ...rest }]);
        await publishAll(client, [{ ...rest, news_event: { ...news_event, headline: 'Corrected' } }]);
        const read = await agent.call('get_news', { news_id: 'ne_4' });
        const { versions, versions_left_out } = read as unknown as Versions;
        const { known_at, ...newest } = versions[0] as { readonly known_at?: string };
        expect(known_at).to.match(/^20/);
        const changed = [{ field: 'news_event.headline', before: 'Headline 4', after: 'Corrected' }];
        const { length } = versions;
        const expected = { revision: length, kind: 'replaced', headline: 'Corrected' };
        expect(newest).to.deep.equal({ ...expected, changed, more_changed: 0 });
        expect(versions.at(-1)).to.include({ revision: 1, kind: 'published', headline: 'Headline 4' });
        expect(versions_left_out).to.equal(0);
        await publishAll(client, ITEMS.map(renewed));
      });

      it('follow a market from the position of a page, in parts that fit', async () => {
        const { feed_position: after } = await agent.call('news_for_market', { market_id: 's1', limit: 1 });
        const market = { market_id: 's1' };
        expect(await agent.call('watch_market', { ...market, after })).to.include({ more: false });
        const changed = Array.from({ length: 14 }, (_, n) => item(n));
        await publishAll(client, changed.map(renewed));
        await client.internal('/internal/v1/news/ne_20', {
          method: 'DELETE',
          headers: { Authorization: `Bearer ${service.tokens.publisher}` },
        });
        const messages: Result['messages'][number][] = [];
        let position = after;
        for (let more = true; more; ) {
          const result = await agent.call('watch_market', { ...market, after: position, limit: 25 });
          expect(bytesOf(result)).to.be.at.most(BYTES_MAX);
          messages.push(...result.messages);
          ({ position, more } = result);
        }
        expect(messages.map(({ type }) => type)).to.deep.equal([...changed.map(() => 'item'), 'retraction']);
        expect(messages.at(-1)?.id).to.equal('ne_20');
        expect((await agent.call('watch_market', market)).messages).to.deep.equal([]);
        await publishAll(client, ITEMS.map(renewed)); // The same feed for the next transport.
      });

      it('cost what the requests behind them cost, and usage costs nothing', async () => {
        await startOfMinute(client);
        const before = await used(agent);
        for (const [tool, args, cost] of [
          ['usage', {}, 0],
          ['search_news', { limit: 1 }, 1],
          ['search_news', { limit: 25 }, 1],
          ['search_news', { q: 'a question of more than four words' }, 2],
          ['find_markets', { q: 'happen' }, 1],
          ['find_markets', { q: 'a question of more than four words' }, 2],
          ['get_news', { news_id: 'ne_1' }, 2],
          ['news_for_market', { market_id: 's_1' }, 1],
          ['watch_market', { market_id: 's_1' }, 1],
        ] as const) {
          const from = await used(agent);
          await agent.call(tool, args);
          expect((await used(agent)) - from, tool).to.equal(cost);
        }
        await agent.client.listTools();
        expect((await used(agent)) - before).to.equal(11);
      });

      it('say in an error what to do', async () => {
        for (const [tool, args, code, faults] of [
          ['search_news', { limit: 26, sort: 'new' }, 'invalid_parameter', ['limit', 'sort']],
          ['search_news', { cursor: 'x', q: '' }, 'invalid_parameter', ['cursor', 'q']],
          ['search_news', { until: 'x' }, 'invalid_parameter', ['until']],
          ['find_markets', { kind: 'x', cursor: 'y' }, 'invalid_parameter', ['kind', 'cursor']],
          ['find_markets', { ref: 'https://markets.example/none' }, 'market_not_found', []],
          ['news_for_market', { market_id: 'm1' }, 'market_not_found', []],
          ['watch_market', { market_id: 'none' }, 'market_not_found', []],
          ['search_news', { q: 'x'.repeat(5_000) }, 'uri_too_long', []],
          ['get_news', {}, 'invalid_parameter', ['news_id']],
          ['get_news', { news_id: 'ne_none' }, 'news_not_found', []],
          ['get_news', { news_id: '\u0000' }, 'invalid_parameter', ['news_id']],
          ['watch_market', { market_id: 's1', after: 'x' }, 'invalid_parameter', ['after']],
          [
            'watch_market',
            { market_id: 's1', after: 'AAAAAAAAAA__________' },
            'invalid_parameter',
            ['after'],
          ],
        ] as const) {
          const error = await agent.refused(tool, args);
          expect(error.code, tool).to.equal(code);
          expect(error.what_to_do).to.match(/\w{4}/);
          expect((error.errors ?? []).map(({ parameter }) => parameter)).to.have.members(faults);
        }
      });
    });
  }

  it('say in the error of a position that is no longer valid how to begin again', async () => {
    for (const agent of agents.values()) {
      const { feed_position } = await agent.call('search_news', { limit: 1 });
      const after = `${feed_position.slice(0, 11)}${'A'.repeat(feed_position.length - 11)}`;
      const error = await agent.refused('watch_market', { market_id: 's1', after });
      expect(error.code).to.equal('position_expired');
      expect(error.what_to_do).to.include('`news_for_market`').and.include('`feed_position`');
    }
  });

  it('have the same results over every transport', async () => {
    for (const [tool, args] of [
      ['search_news', { limit: 25 }],
      ['search_news', { q: 'what is the headline of item 12' }],
      ['find_markets', { q: 'will any of s_1 happen today' }],
      ['news_for_market', { market_id: 's1', limit: 3 }],
      ['get_news', { news_id: 'ne_9' }],
      ['watch_market', { market_id: 's1' }],
      ['usage', {}],
    ] as const) {
      const results: Result[] = [];
      for (const agent of agents.values()) results.push(await agent.call(tool, args));
      const [first, ...others] = results;
      const comparable = (result: Result | undefined) =>
        tool === 'usage' ? Object.keys(result ?? {}) : result;
      for (const other of others) expect(comparable(other), tool).to.deep.equal(comparable(first));
    }
  });
});
