import { expect } from 'chai';
import { Agent } from '../../support/mcp/agents.js';
import { publication } from '../../support/objects/builders.js';
import { actOn, aKey, type KeyView, publishAll, startOfMinute } from '../../support/service/api-calls.js';
import { type Asked, Client, type Reply, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const JSON_TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

const rpc = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** A call as a client of the protocol 2025-11-25 sends it. */
const SEARCH = rpc('tools/call', { name: 'search_news', arguments: { limit: 1 } });

/** The message of an answer that is JSON or an event stream. */
const message = ({ text }: Reply): { readonly error?: { readonly code: number; readonly message: string } } =>
  JSON.parse(text.replace(/^.*^data: /ms, ''));

describe('A request to /mcp', () => {
  let service: Service;
  let client: Client;
  let key: KeyView;
  const url = () => `${service.instances[0]?.url}/mcp`;
  const post = (body: string, headers: Asked['headers'] = {}) =>
    send(url(), {
      method: 'POST',
      headers: { ...JSON_TYPE, Authorization: `Bearer ${key.key}`, ...headers },
      body,
    });
  const used = async (of: KeyView = key): Promise<number> => {
    const reply = await client.ask('/pm/v2/usage', { headers: { 'X-API-Key': of.key } });
    return (reply.json as { readonly limits: readonly { readonly used: number }[] }).limits[0]?.used ?? -1;
  };
  before(async () => {
    service = await startService({ PUBLIC_URL: 'https://api.oddswire.test', RATE_LIMIT_FREE_MINUTE: '2' });
    client = await Client.of(service);
    key = await aKey(client);
    await publishAll(client, [publication()]);
    await startOfMinute(client);
  });
  after(() => service.stop());

  it('is answered with a key, and takes one permit for a call of a tool', async () => {
    const before = await used();
    const reply = await post(SEARCH);
    expect([reply.status, message(reply)]).to.have.nested.property('[1].result.structuredContent.items[0]');
    expect(reply.headers['ratelimit']).to.include(`"minute";r=${3_000 - before - 1}`);
    expect(reply.headers['cache-control']).to.equal('no-store');
    expect(await used()).to.equal(before + 1);
  });

  it('is 401 without a bearer key, with a challenge', async () => {
    const none = { ...JSON_TYPE };
    for (const [path, headers, code] of [
      [url(), none, 'key_missing'],
      [url(), { ...none, 'X-API-Key': key.key }, 'key_missing'],
      [`${url()}?api_key=${key.key}`, none, 'key_missing'],
      [url(), { ...none, Authorization: 'Basic eA==' }, 'key_missing'],
      [url(), { ...none, Authorization: `Bearer ${key.key}x` }, 'key_unknown'],
    ] as const) {
      const { status, json, headers: sent } = await send(path, { method: 'POST', headers, body: SEARCH });
      expect([status, json], code).to.have.nested.property('[1].code', code);
      expect(status).to.equal(401);
      expect(sent['www-authenticate']).to.match(/^Bearer realm="oddswire"/);
    }
  });

  // biome-ignore format: a table is read by its columns
  const FOREIGN: readonly (readonly [title: string, headers: Record<string, string>])[] = [
    ['names another host',                 { Host: 'evil.example' }],
    ['comes from a page of another site',  { Origin: 'https://evil.example' }],
    ['comes from a page without a site',   { Origin: 'null' }],
  ];
  for (const [title, headers] of FOREIGN) {
    it(`is 403 if it ${title}`, async () => {
      const { status, json } = await post(SEARCH, headers);
      expect([status, json]).to.have.nested.property('[1].code', 'source_not_allowed');
      expect(status).to.equal(403);
    });
  }

  it('is answered under the name of the service, and to pages of it', async () => {
    const own = { Host: 'api.oddswire.test', Origin: 'https://api.oddswire.test' };
    expect((await post(rpc('ping'), own)).status).to.equal(200);
    expect((await post(rpc('ping'), { Origin: 'http://localhost:6274' })).status).to.equal(200);
  });

  it('is 405 with another method than POST, and OPTIONS allows the headers of the protocol', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT']) {
      const { status, headers } = await send(url(), { method });
      expect([status, headers['allow']], method).to.deep.equal([405, 'POST, OPTIONS']);
    }
    const { status, headers } = await send(url(), { method: 'OPTIONS' });
    expect(status).to.equal(204);
    expect(headers['access-control-allow-headers']).to.include('MCP-Protocol-Version');
  });

  // biome-ignore format: a table is read by its columns
  const REFUSED: readonly (readonly [title: string, body: string, headers: Record<string, string>, status: number, code: number | string])[] = [
    ['is no JSON by its type',            SEARCH,                              { 'Content-Type': 'text/plain' },          415, 'unsupported_media_type'],
    ['has a compressed body',             SEARCH,                              { 'Content-Encoding': 'gzip' },            415, 'unsupported_media_type'],
    ['has a body of 1 MB',                `"${'x'.repeat(1_024 * 1_024)}"`,    {},                                        413, 'payload_too_large'],
    ['is malformed JSON',                 '{"jsonrpc":',                       {},                                        400, -32_700],
    ['has no body',                       '',                                  {},                                        400, -32_700],
    ['has 1 000 messages',                JSON.stringify(Array.from({ length: 1_000 }, () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }))), {}, 400, -32_600],
    ['has two messages',                  JSON.stringify(Array.from({ length: 2 }, () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }))), {}, 400, -32_600],
    ['is no message',                     '{"x":1}',                           {},                                        400, -32_600],
    ['is a number',                       '7',                                 {},                                        400, -32_600],
    ['is nested 20 000 times',            '['.repeat(20_000) + ']'.repeat(20_000), {},                                    400, -32_600],
    ['asks for notifications',            rpc('subscriptions/listen'),         {},                                        404, -32_601],
    ['has an unknown method',             rpc('tools/none'),                   {},                                        200, -32_601],
    ['names an unknown tool',             rpc('tools/call', { name: 'none' }), {},                                        200, -32_602],
    ['names an inherited property',       rpc('tools/call', { name: 'constructor' }), {},                                 200, -32_602],
    ['has an unknown protocol version',   rpc('ping'),                         { 'MCP-Protocol-Version': '1999-01-01' },  400, -32_000],
    ['accepts no JSON',                   rpc('ping'),                         { Accept: 'text/html' },                   406, -32_000],
  ];
  for (const [title, body, headers, status, code] of REFUSED) {
    it(`is ${status} ${code} if it ${title}, and costs nothing`, async () => {
      const before = await used();
      const reply = await post(body, headers);
      const shown =
        typeof code === 'string' ? (reply.json as { code: string }).code : message(reply).error?.code;
      expect([reply.status, shown], reply.text.slice(0, 500)).to.deep.equal([status, code]);
      expect(await used()).to.equal(before);
      expect((await client.news(key.key)).status).to.equal(200);
    });
  }

  for (const [title, accept] of [
    ['accepts anything', '*/*'],
    ['accepts JSON only', 'application/json'],
    ['does not say what it accepts', undefined],
  ] as const) {
    it(`is answered with JSON if it ${title}`, async () => {
      const sent = { 'Content-Type': 'application/json', Authorization: `Bearer ${key.key}` };
      const headers = accept === undefined ? sent : { ...sent, Accept: accept };
      for (const body of [rpc('tools/list'), SEARCH]) {
        const reply = await send(url(), { method: 'POST', headers, body });
        expect([reply.status, reply.headers['content-type']], reply.text).to.deep.equal([
          200,
          'application/json',
        ]);
        expect(JSON.parse(reply.text)).to.include({ jsonrpc: '2.0', id: 1 }).and.to.have.property('result');
      }
    });
  }

  it('is logged as a request, and not as a fault of ours, if its message is malformed', async () => {
    for (const [, body, headers] of REFUSED) await post(body, headers);
    await post('{"jsonrpc":"2.0","id":{},"method":7}');
    await post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}');
    const id = 'the-last-malformed-message';
    await post('{"x":1}', { 'X-Request-Id': id });
    await service.instances[0]?.line(id);
    const faults = service.instances[0]?.output.filter((line) => line.includes('"level":50'));
    expect(faults).to.deep.equal([]);
  });

  it('is a tool error at the limit of the plan, with the time to wait', async () => {
    const free = await aKey(client, 'free');
    await startOfMinute(client);
    const agent = await Agent.overHttp(service.instances[0]?.url ?? '', free.key);
    await agent.call('search_news');
    await agent.call('search_news');
    const error = await agent.refused('search_news');
    expect(error).to.include({ code: 'rate_limited' });
    expect(error.retry_after_seconds).to.be.within(1, 60);
    expect(agent.responses.at(-1)?.headers.get('ratelimit')).to.include('"minute";r=0');
    expect((await agent.refused('watch_market', { market_id: 's1' })).code).to.equal('rate_limited');
    expect((await agent.call('usage')).limits[0]?.used).to.equal(2);
    await agent.close();
  });

  it('is refused in the middle of a session when the key is suspended, and when it is revoked', async () => {
    const own = await aKey(client);
    const agent = await Agent.overHttp(service.instances[0]?.url ?? '', own.key, 'handshake');
    await agent.call('search_news');
    const status = async () => {
      await agent.call('search_news').catch(() => {});
      return agent.responses.at(-1)?.status;
    };
    await actOn(client, own.key_id, 'hold', { reason: 'test' });
    expect(await status()).to.equal(402);
    await actOn(client, own.key_id, 'release', { reason: 'test' });
    expect(await status()).to.equal(200);
    await actOn(client, own.key_id, 'revoke', { cause: 'manual' });
    expect(await status()).to.equal(401);
    await agent.close();
  });

  it('shows no key in a log line, and writes nothing but log lines', () => {
    const lines = service.instances.flatMap(({ output }) => output);
    expect(lines.filter((line) => line.includes('/mcp')).length).to.be.above(20);
    expect(lines.join('\n')).not.to.include(key.key.slice(0, 20));
    const [announcement, ...others] = lines.filter((line) => !line.startsWith('{'));
    expect(announcement).to.include('Oddswire listens');
    expect(others).to.deep.equal([]);
  });
});
