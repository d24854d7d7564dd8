import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { expect } from 'chai';
import { readStream } from '../../support/live/stream-reader.js';
import { openWebSocket } from '../../support/live/web-socket-reader.js';
import { publication } from '../../support/objects/builders.js';
import {
  CADDYFILE,
  NGINX_CONFIGURATION,
  type ReverseProxy,
  startCaddy,
  startNginx,
} from '../../support/proxies/proxy.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import { aKey, ids, publishAll, unique } from '../../support/service/api-calls.js';
import { type Asked, Client, type Reply, send } from '../../support/service/client.js';
import { type Service, serviceOf, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const PROXIES = { Caddy: startCaddy, nginx: startNginx };
/** Redis, two instances and the proxy, on a busy machine. */
const STARTED_WITHIN_MS = 60_000;
const DELIVERED_WITHIN_MS = 1_000;
const UNKNOWN_KEYS_PER_MINUTE = 5;
const NEWS = '/pm/v2/news?limit=1';
const PAGE = '/pm/v2/news?limit=20';

for (const [name, start] of Object.entries(PROXIES)) {
  describe(`${name} with its configuration of ops/, in front of two instances`, function () {
    this.timeout(15_000);
    let redis: TestRedis;
    let service: Service;
    let client: Client;
    let proxy: ReverseProxy;
    let key: string;
    before(async () => {
      redis = await startTestRedis();
      const settings = {
        DATABASE_URL: await freshDatabase(serverUrl()),
        REDIS_URL: redis.url,
        TRUSTED_PROXY_HOPS: '1',
        ANONYMOUS_PER_MINUTE: String(UNKNOWN_KEYS_PER_MINUTE),
        STREAM_HEARTBEAT_SECONDS: '1',
      };
      service = await startService(settings, 2);
      client = await Client.of(service);
      proxy = await start(service.instances.map(({ url }) => new URL(url).host));
      ({ key } = await aKey(client));
      await publishAll(
        client,
        Array.from({ length: 20 }, (_, n) => publication({ id: `first-${n}` })),
      );
    }).timeout(STARTED_WITHIN_MS);
    after(async () => {
      await proxy.stop();
      await service.stop();
      await redis.stop();
    });

    const ask = (path: string, asked: Asked = {}): Promise<Reply> =>
      send(`${proxy.url}${path}`, { ca: proxy.ca, localAddress: '127.0.0.1', ...asked });
    const withKey = (): Asked => ({ headers: { 'X-API-Key': key } });
    /** The milliseconds until `arrived` resolves after a publication. */
    const publishedWithin = async (arrived: (id: string) => Promise<unknown>): Promise<number> => {
      const id = unique();
      const from = performance.now();
      await publishAll(client, [publication({ id })]);
      await arrived(id);
      return performance.now() - from;
    };

    it('answers a page with a key in each of the three carriers', async () => {
      const pages = [
        await ask(NEWS, withKey()),
        await ask(NEWS, { headers: { Authorization: `Bearer ${key}` } }),
        await ask(`${NEWS}&api_key=${key}`),
      ];
      expect(pages.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(pages.map(ids)).to.deep.equal([['first-19'], ['first-19'], ['first-19']]);
    });

    it('passes on the compression and the ETag of the service', async () => {
      const headers = { 'X-API-Key': key, 'Accept-Encoding': 'gzip' };
      const [plain, compressed] = [await ask(PAGE, withKey()), await ask(PAGE, { headers })];
      expect(plain.headers).not.to.have.property('content-encoding');
      expect(compressed.headers['content-encoding']).to.equal('gzip');
      expect(compressed.bytes).to.be.below(plain.bytes / 2);
      expect(compressed.json).to.deep.equal(plain.json);
      for (const { headers: own } of [plain, compressed]) {
        const again = await ask(PAGE, { headers: { ...headers, 'If-None-Match': own['etag'] ?? '' } });
        expect([again.status, again.bytes]).to.deep.equal([304, 0]);
      }
    });

    it('forwards each event of a stream at once, and heartbeats', async () => {
      const stream = await readStream(proxy.url, key, { ca: proxy.ca });
      await stream.message('ready');
      const ms = await publishedWithin(() => stream.items(1));
      expect(ms).to.be.below(DELIVERED_WITHIN_MS);
      await stream.message('heartbeat');
      stream.close();
      await stream.closed;
    });

    it('forwards each message of a WebSocket at once', async () => {
      const socket = await openWebSocket(proxy.url, key, '', { ca: proxy.ca });
      const has = (type: string) => socket.messages.some((message) => message.type === type);
      await until(true, () => has('ready'));
      const ms = await publishedWithin(() => until(true, () => has('item')));
      expect(ms).to.be.below(DELIVERED_WITHIN_MS);
      await until(true, () => has('heartbeat'));
      socket.close();
      await socket.closed;
    });

    it('forwards each event of a stream at once over HTTP/2', async () => {
      const session = connectHttp2(proxy.url, { ca: proxy.ca });
      const stream = session.request({ ':path': '/pm/v2/stream', 'x-api-key': key });
      let received = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        received += text;
      });
      await until(true, () => received.includes('"ready"'));
      const ms = await publishedWithin((id) => until(true, () => received.includes(id)));
      expect(ms).to.be.below(DELIVERED_WITHIN_MS);
      session.destroy();
    });

    it('ends a stream at the service when its client has left', async () => {
      const open = async () => {
        const counts = await Promise.all(
          service.instances.map(async ({ internalUrl }) => {
            const { text } = await send(`${internalUrl}/metrics`, {});
            return [...text.matchAll(/^oddswire_streams_open\{.*\} (\d+)/gm)].map(([, n]) => Number(n));
          }),
        );
        return counts.flat().reduce((sum, n) => sum + n, 0);
      };
      await until(0, open);
      const streams = await Promise.all([1, 2].map(() => readStream(proxy.url, key, { ca: proxy.ca })));
      await until(2, open);
      for (const stream of streams) stream.close();
      await until(0, open);
    });

    it('passes on the Host, which agents need', async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      };
      const direct = await send(`${service.instances[0]?.url}/mcp`, { method: 'POST', headers, body });
      const reply = await ask('/mcp', { method: 'POST', headers, body });
      expect([reply.status, reply.json]).to.deep.equal([direct.status, direct.json]);
    });

    it('passes on the address of the client, and none that the client invents', async () => {
      const guess = (localAddress: string, forged: string) =>
        ask(NEWS, { localAddress, headers: { 'X-API-Key': `svc_${unique()}`, 'X-Forwarded-For': forged } });
      for (let n = 0; n < UNKNOWN_KEYS_PER_MINUTE; n += 1) await guess('127.0.0.2', `192.0.2.${n}`);
      expect((await guess('127.0.0.2', '192.0.2.99')).status).to.equal(429);
      expect((await guess('127.0.0.3', '127.0.0.2')).status).to.equal(401);
    });

    it('refuses a body of more than 1 MB, and leads to no path of the internal listener', async () => {
      const body = Buffer.alloc(2 * 1_024 * 1_024);
      // A proxy that closes the connection while the client still sends may reset it before the client reads the answer.
      await until(413, () =>
        ask('/webhooks/stripe', { method: 'POST', body }).then(
          ({ status }) => status,
          (fault: NodeJS.ErrnoException) => fault.code,
        ),
      );
      const headers = { Authorization: `Bearer ${service.tokens.operator}` };
      for (const path of ['/metrics', '/readyz', '/internal/v1/accounts'])
        expect((await ask(path, { headers })).status, path).to.equal(404);
    });

    it('redirects pages to https, and refuses keys over http', async () => {
      const host = { headers: { Host: 'localhost' } };
      const redirect = await send(`${proxy.plainUrl}/docs?a=b`, host);
      expect([redirect.status, redirect.headers['location']]).to.deep.equal([
        308,
        'https://localhost/docs?a=b',
      ]);
      for (const path of [`/pm/v2/news?api_key=${key}`, '/mcp', '/webhooks/stripe'])
        expect((await send(`${proxy.plainUrl}${path}`, host)).status, path).to.equal(403);
    });

    it('uses the other instance when one is stopped, and answers 503 with Retry-After without any', async () => {
      const [one, other] = service.instances;
      if (one === undefined || other === undefined) throw new Error('there are two instances');
      await other.stop();
      const replies = await Promise.all(Array.from({ length: 20 }, () => ask(`${NEWS}&api_key=${key}`)));
      expect(replies.map(({ status }) => status)).to.deep.equal(replies.map(() => 200));
      client = await Client.of(serviceOf(one));
      await one.stop();
      const { status, headers, json } = await ask(`${NEWS}&api_key=${key}`);
      expect([status, headers['retry-after'], headers['content-type']]).to.deep.equal([
        503,
        '1',
        'application/problem+json',
      ]);
      expect(json).to.include({ status: 503, code: 'unavailable' });
    });

    it('writes the path of each request and no key to its logs', async () => {
      await until(true, () => proxy.logs().split('/pm/v2/news').length > 20);
      const logs = proxy.logs();
      expect(logs).to.include('/webhooks/stripe').and.to.include('503');
      expect(logs).not.to.include('api_key');
      expect(logs).not.to.include(key);
    });
  });
}

/** The longest heartbeat that a setting allows (`STREAM_HEARTBEAT_SECONDS`), and the timeout of idle connections at the service. */
const [HEARTBEAT_SECONDS_MAX, IDLE_SECONDS] = [60, 65];

describe('The timeouts of the proxies', () => {
  const secondsIn = (file: string, setting: RegExp): readonly number[] =>
    [...readFileSync(file, 'utf8').matchAll(setting)].map(([, seconds]) => Number(seconds));

  it('are longer than the longest heartbeat of a stream', () => {
    const [waits] = secondsIn(NGINX_CONFIGURATION, /^ *proxy_read_timeout (\d+)s;/gm);
    expect(waits).to.be.above(HEARTBEAT_SECONDS_MAX);
    const [answers] = secondsIn(CADDYFILE, /^\s*response_header_timeout (\d+)s$/gm);
    expect(answers).to.be.above(HEARTBEAT_SECONDS_MAX);
    // Of an open response. Caddy has none unless it is set.
    expect(secondsIn(CADDYFILE, /^\s*(?:read|stream|write)_timeout (\d+)/gm)).to.deep.equal([]);
  });

  it('end idle connections to the service before the service does', () => {
    const idle = [
      ...secondsIn(CADDYFILE, /^\s*keepalive (\d+)s$/gm),
      ...secondsIn(NGINX_CONFIGURATION, /^upstream[^}]*keepalive_timeout (\d+)s;/gm),
    ];
    expect(idle).to.have.length(2);
    expect(Math.max(...idle)).to.be.below(IDLE_SECONDS);
  });
});
