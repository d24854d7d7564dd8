import { expect } from 'chai';
import type { FeedStore } from '../../../src/application/ports/feed/feed-store.js';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  composed,
  keyHolder,
} from '../../support/service/composed.js';
import { rawSocket } from '../listener/raw-socket.js';

/** Percent-encodes every character, even those that a browser would not encode. */
const encoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** Query strings that contain a key, by mistake or on purpose, as `$KEY`, `$ENCODED` or `$SUFFIX`. */
const QUERIES = [
  'api_key=$KEY',
  'api%5Fkey=$KEY',
  '%61pi_key=$KEY',
  'api_key=$ENCODED',
  'api_key=svc%5F$SUFFIX',
  'api_key=$KEY&api_key=svc_another',
  'api_key=$KEY&limit=0',
  'API_KEY=$KEY',
  'news_id=$KEY',
  'news_id=$ENCODED',
  'news_id=x$KEYx&limit=0',
  'market_id=svc%5F$SUFFIX',
  'limit=$KEY',
  'cursor=$KEY&since=$ENCODED',
  'limit=%&news_id=$KEY',
  '$KEY',
  '$KEY=1',
  'color=$KEY',
];

const PATHS = [
  '/$KEY',
  '/$ENCODED',
  '/svc%5F$SUFFIX',
  '/pm/v2/news/$KEY',
  '/pm/v2/news;$KEY',
  '/pm/v2/news/x$KEYx',
  '/pm/v2/$KEY/news?api_key=$KEY',
  '/%/svc%5F$SUFFIX',
  '/100%-off/$ENCODED',
];

const HEADERS: Readonly<Record<string, string>> = {
  'X-Request-Id': '$KEY',
  'User-Agent': 'client/1 $KEY',
  Referer: 'https://app.example/?api_key=$KEY',
  'X-Forwarded-For': '$KEY',
  Origin: 'https://$KEY.example',
  Cookie: 'key=$KEY',
  'If-None-Match': '"$KEY"',
  Authorization: 'Basic $KEY',
  Accept: 'application/$KEY',
};

describe('A key that was sent in the wrong field', () => {
  let service: Composed;
  let key: string;
  let suffix: string;
  before(async () => {
    service = await composed({ TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'trace' });
  });
  after(() => service.stop());
  beforeEach(async () => {
    key = (await keyHolder(service)).value;
    suffix = key.slice('svc_'.length);
  });

  const filled = (text: string) =>
    text.replaceAll('$KEY', key).replaceAll('$ENCODED', encoded(key)).replaceAll('$SUFFIX', suffix);

  /** Sends the request, and expects the key neither in the response nor in log or metrics (D19, T12). */
  async function expectNoLeak(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const answer = await ask(url, { headers });
    const id = answer.headers['x-request-id'];
    await service.line((line) => line.msg === 'request' && line['request_id'] === id);
    expectClean('the answer', `${JSON.stringify(answer.headers)} ${answer.body}`);
    expectClean('the log', service.lines.map((line) => JSON.stringify(line)).join('\n'));
    expectClean('the metrics', await service.parts.metrics.text());
    return answer;
  }

  function expectClean(where: string, text: string): void {
    for (const secret of [key, suffix, suffix.slice(8, 36), encoded(suffix).slice(9, 60)]) {
      expect(text.includes(secret), `${where} has the key: ${textAround(text, secret)}`).to.equal(false);
    }
  }

  const textAround = (text: string, secret: string) =>
    text.slice(Math.max(0, text.indexOf(secret) - 60), text.indexOf(secret) + 60);

  for (const query of QUERIES) {
    it(`appears in no response, log or metric: ?${query}`, async () => {
      await expectNoLeak(`${service.url}/pm/v2/news?${filled(query)}`);
      await expectNoLeak(`${service.url}/pm/v2/news?${filled(query)}`, { 'X-API-Key': key });
      await expectNoLeak(`${service.url}/nowhere?${filled(query)}`);
    });
  }

  for (const path of PATHS) {
    it(`appears in no response, log or metric: ${path}`, async () => {
      const answer = await expectNoLeak(`${service.url}${filled(path)}`);
      expect(answer.status).to.equal(404);
    });

    it(`appears in no response, log or metric of the internal listener: ${path}`, async () => {
      await expectNoLeak(`${service.internalUrl}${filled(path)}`, bearer('operator-token-of-the-tests'));
    });
  }

  for (const [name, value] of Object.entries(HEADERS)) {
    it(`appears in no response, log or metric: ${name}: ${value}`, async () => {
      for (const path of ['/pm/v2/news', '/pm/v2/news?limit=0', '/nowhere']) {
        await expectNoLeak(`${service.url}${path}`, { [name]: filled(value) });
      }
    });
  }

  for (const path of [
    '/internal/v1/keys/$KEY',
    '/internal/v1/accounts/$ENCODED',
    '/internal/v1/accounts?email=$KEY',
    '/internal/v1/accounts?email=svc%5F$SUFFIX',
  ]) {
    it(`appears in no response, log or metric when an operator searches for it: ${path}`, async () => {
      const answer = await expectNoLeak(
        `${service.internalUrl}${filled(path)}`,
        bearer('operator-token-of-the-tests'),
      );
      expect(answer.status).to.equal(404);
    });
  }

  for (const request of [
    'GET http://$KEY@host.example/pm/v2/news?api_key=$KEY HTTP/1.1\r\nHost: a\r\nConnection: close',
    'GET http://[$KEY]/ HTTP/1.1\r\nHost: a',
    'GET /$KEY HTTP/1.1\r\nHost: $KEY\r\nHost: b',
    'GET /$KEY HTTP/9.9\r\nHost: a',
    '$KEY / HTTP/1.1\r\nHost: a',
    'GET /$KEY HTTP/1.1\r\nHost: a\r\nX-API-Key $KEY',
  ]) {
    it(`appears in no response and no log: ${request.split('\r\n').join(' ⏎ ')}`, async () => {
      const caller = await rawSocket(service.port);
      caller.send(`${filled(request)}\r\n\r\n`);
      const text = await caller.all();
      const [, id] = /X-Request-Id: (\S+)/i.exec(text) ?? [];
      await service.line((line) => line['request_id'] === id);
      expectClean('the answer', text);
      expectClean('the log', service.lines.map((line) => JSON.stringify(line)).join('\n'));
    });
  }

  it('is not in the report of a fault', async () => {
    const broken = await composed({}, () => ({
      feed: () => ({ page: () => Promise.reject(new Error('a bug')) }) as unknown as FeedStore,
    }));
    try {
      const other = (await keyHolder(broken)).value;
      const answer = await ask(`${broken.url}/pm/v2/news?api_key=${other}&news_id=${other}`);
      expect(answer.status).to.equal(500);
      await broken.stop();
      expect(JSON.stringify(broken.lines)).not.to.include(other.slice(8, 40));
    } finally {
      await broken.stop();
    }
  });

  it('is replaced by a generated id if it was sent as X-Request-Id (D38)', async () => {
    const answer = await ask(`${service.url}/nowhere`, { headers: { 'X-Request-Id': `x.${key}` } });
    expect(answer.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
  });
});

describe('A key in the query', () => {
  let service: Composed;
  let key: string;
  before(async () => {
    service = await composed();
    key = (await keyHolder(service)).value;
  });
  after(() => service.stop());

  for (const [query, status, cacheControl] of [
    ['api_key=$KEY', 200, 'private, no-store'],
    ['api%5Fkey=$KEY', 200, 'private, no-store'],
    ['api_key=$KEY&limit=0', 400, 'no-store'],
    ['api_key=svc_nobody', 401, 'no-store'],
  ] as const) {
    it(`gets a response that must not be stored: ?${query} → ${status} (D19)`, async () => {
      const answer = await ask(`${service.url}/pm/v2/news?${query.replace('$KEY', key)}`);
      expect(answer.status).to.equal(status);
      expect(answer.headers).to.include({ 'cache-control': cacheControl, 'referrer-policy': 'no-referrer' });
    });
  }

  it('gets a 304 that must not be stored (D19)', async () => {
    const url = `${service.url}/pm/v2/news?api_key=${key}`;
    const { etag = '' } = (await ask(url)).headers;
    const answer = await ask(url, { headers: { 'If-None-Match': etag } });
    expect(answer.status).to.equal(304);
    expect(answer.headers).to.include({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
  });

  it('does not change responses to a key in a header', async () => {
    const answer = await ask(`${service.url}/pm/v2/news`, { headers: bearer(key) });
    expect(answer.headers['cache-control']).to.equal('private, no-cache');
    expect(answer.headers).not.to.have.property('referrer-policy');
  });
});
