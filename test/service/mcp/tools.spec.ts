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

const LARGE = 15;
const ITEMS = Array.from({ length: 30 }, (_, n) => item(n, n === LARGE ? 70 * KB : LONG));

const idsOf = ({ items }: Result) => items.map(({ news_event }) => news_event.id);
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

      it('are five that only read, each with a schema of its result', async () => {
        const { tools } = await agent.client.listTools();
        const names = tools.map((tool) => tool.name);
        expect(names).to.deep.equal(['search_news', 'get_news', 'news_for_market', 'watch_market', 'usage']);
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

      it('walk through all items in results of at most 25 items and 60 KB, without a gap', async () => {
        const seen: string[] = [];
        const large: string[] = [];
        let cursor: string | null = null;
        do {
          const result: Result = await agent.call('search_news', { limit: 25, ...(cursor && { cursor }) });
          expect(bytesOf(result)).to.be.at.most(BYTES_MAX);
          expect(result.items.length + result.too_large.length).to.be.within(1, 25);
          if (result.next_cursor !== null && cursor !== null)
            expect(result.next_cursor < cursor).to.equal(true);
          seen.push(...idsOf(result));
          large.push(...result.too_large.map(({ news_id }) => news_id));
          cursor = result.next_cursor;
        } while (cursor !== null);
        const all = ITEMS.map(({ news_event }) => news_event.id).filter((id) => id !== `ne_${LARGE}`);
        expect(seen).to.deep.equal(all.toReversed());
        expect(large).to.deep.equal([`ne_${LARGE}`]);
      });

      it('skip an item that is too large, also if it is the only one of a result', async () => {
        const [before] = (await client.news(key.key, `?news_id=ne_${LARGE + 1}`)).text.match(/ne_\d+/) ?? [];
        expect(before).to.equal(`ne_${LARGE + 1}`);
        let cursor = '';
        do {
          const result = await agent.call('search_news', { limit: 1, ...(cursor !== '' && { cursor }) });
          cursor = result.next_cursor ?? '';
          if (idsOf(result)[0] === `ne_${LARGE + 1}`) break;
        } while (cursor !== '');
        const result = await agent.call('search_news', { limit: 1, cursor });
        expect([result.items, result.too_large[0]?.news_id]).to.deep.equal([[], `ne_${LARGE}`]);
        const next = await agent.call('search_news', { limit: 1, cursor: result.next_cursor });
        expect(idsOf(next)).to.deep.equal([`ne_${LARGE - 1}`]);
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
      });

      it('read one item, and the items of one market with only this market', async () => {
        const { item: found } = (await agent.call('get_news', { news_id: 'ne_3' })) as unknown as {
          readonly item: object;
        };
        const reply = await client.news(key.key, '?news_id=ne_3');
        expect(found).to.deep.equal((reply.json as Result).items[0]);
        const ofMarket = await agent.call('news_for_market', { market_id: 's_3' });
        expect(ofMarket.items).to.deep.equal(
          ((await client.news(key.key, '?market_id=s_3')).json as Result).items,
        );
      });

      it('follow a market from the position of a page, in parts that fit', async () => {
        const { feed_position: after } = await agent.call('news_for_market', { market_id: 's1', limit: 1 });
        const market = { market_id: 's1' };
        expect(await agent.call('watch_market', { ...market, after })).to.include({ more: false });
        const changed = Array.from({ length: 14 }, (_, n) => item(n));
        await publishAll(client, changed);
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
        await publishAll(client, ITEMS); // The same feed for the next transport.
      });

      it('cost what the requests behind them cost, and usage costs nothing', async () => {
        await startOfMinute(client);
        const before = await used(agent);
        for (const [tool, args, cost] of [
          ['usage', {}, 0],
          ['search_news', { limit: 1 }, 1],
          ['search_news', { limit: 25 }, 2],
          ['get_news', { news_id: 'ne_1' }, 1],
          ['news_for_market', { market_id: 's_1' }, 1],
          ['watch_market', { market_id: 's_1' }, 1],
        ] as const) {
          const from = await used(agent);
          await agent.call(tool, args);
          expect((await used(agent)) - from, tool).to.equal(cost);
        }
        await agent.client.listTools();
        expect((await used(agent)) - before).to.equal(6);
      });

      it('say in an error what to do', async () => {
        for (const [tool, args, code, faults] of [
          ['search_news', { limit: 26, sort: 'new' }, 'invalid_parameter', ['limit', 'sort']],
          ['search_news', { cursor: 'x', q: '' }, 'invalid_parameter', ['cursor', 'q']],
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
