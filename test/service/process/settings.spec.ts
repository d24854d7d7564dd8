import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { advance, aKey, problem } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

describe('A setting', () => {
  let service: Service;
  const started = async (settings: Readonly<Record<string, string>>) => {
    service = await startService(settings);
    return Client.of(service);
  };
  afterEach(() => service.stop());

  it('ALLOW_QUERY_KEY=false leaves only the headers as carriers (D19)', async () => {
    const client = await started({ ALLOW_QUERY_KEY: 'false' });
    const { key } = await aKey(client);
    const refused = await client.ask(`/pm/v2/news?api_key=${key}`);
    expect([refused.status, problem(refused).code]).to.deep.equal([401, 'key_missing']);
    expect((await client.news(key)).status).to.equal(200);
  });

  it('KEY_PREFIX is the prefix of keys, and decides whether X-API-Key takes precedence (D1, D16)', async () => {
    const client = await started({ KEY_PREFIX: 'acme_' });
    const issued = await aKey(client);
    expect(issued.key).to.match(/^acme_[A-Za-z0-9_-]{43}$/);
    expect(issued).to.include({ prefix: issued.key.slice(0, 12) });
    const headers = { 'X-API-Key': `svc_${'A'.repeat(43)}`, Authorization: `Bearer ${issued.key}` };
    expect((await client.ask('/pm/v2/news', { headers })).status).to.equal(200);
  });

  it('RATE_LIMIT_… sets the quotas of a plan; the day window ends at midnight UTC (D34)', async () => {
    const client = await started({ RATE_LIMIT_FREE_MINUTE: '5', RATE_LIMIT_FREE_DAY: '3' });
    const now = await advance(client, 0);
    await advance(client, 86_400 - ((Date.parse(now) / 1_000) % 86_400) + 1);
    const { key } = await aKey(client, 'free');
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await client.news(key)).status);
    expect(statuses).to.deep.equal([200, 200, 200, 429]);
    const refused = await client.news(key);
    expect(problem(refused).violated_policies).to.deep.equal(['day']);
    expect(refused.headers['x-ratelimit-limit']).to.equal('3');
    await advance(client, 60);
    expect((await client.news(key)).status).to.equal(429);
    await advance(client, 86_400);
    expect((await client.news(key)).status).to.equal(200);
  });

  it('STATE_DIR keeps the generated tokens across restarts (D43)', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'oddswire-kept-'));
    const settings = { STATE_DIR: stateDir, OPERATOR_TOKEN: '', PUBLISHER_TOKEN: '' };
    const file = join(stateDir, 'tokens.json');
    await started(settings);
    const first = readFileSync(file, 'utf8');
    await service.stop();
    await started(settings);
    expect(readFileSync(file, 'utf8')).to.equal(first);
    await rm(stateDir, { recursive: true });
  });

  it('TRUSTED_PROXY_HOPS is 0 by default: X-Forwarded-For is ignored (T10)', async () => {
    const client = await started({ ANONYMOUS_PER_MINUTE: '3' });
    const now = await advance(client, 0);
    await advance(client, 60 - Number(now.slice(17, 19)) + 0.5);
    const statuses = [];
    for (let i = 0; i < 5; i += 1) {
      const headers = { 'X-Forwarded-For': `192.0.2.${i}` };
      statuses.push((await client.ask('/pm/v2/news', { headers })).status);
    }
    expect(statuses).to.deep.equal([401, 401, 401, 429, 429]);
    await advance(client, 60);
    expect((await client.ask('/pm/v2/news')).status).to.equal(401);
  });

  it('ANONYMOUS_PER_MINUTE counts only 401: not 404, 405, 414 or OPTIONS (D33, D34)', async () => {
    const client = await started({ ANONYMOUS_PER_MINUTE: '1' });
    const now = await advance(client, 0);
    await advance(client, 60 - Number(now.slice(17, 19)) + 0.5);
    for (const [path, method] of [
      ['/', 'GET'],
      ['/nowhere', 'GET'],
      ['/pm/v2/news', 'PUT'],
      ['/pm/v2/news', 'OPTIONS'],
      ['/openapi.json', 'GET'],
    ] as const) {
      expect((await client.ask(path, { method })).headers['x-ratelimit-remaining'], path).to.equal('1');
    }
    expect((await client.ask(`/pm/v2/news?${'x'.repeat(4_097)}`)).status).to.equal(414);
    expect((await client.ask('/pm/v2/news')).status).to.equal(401);
    const refused = await client.ask('/pm/v2/news');
    expect([refused.status, refused.headers['retry-after']?.match(/^[1-9]\d*$/) !== null]).to.deep.equal([
      429,
      true,
    ]);
  });
});
