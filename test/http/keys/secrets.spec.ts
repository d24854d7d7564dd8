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

/** Percent-encodes every character that a browser would leave alone. */
const encoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** Where a key can be put, by mistake or on purpose; `$KEY`, `$ENCODED` and `$SUFFIX` stand for it. */
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

describe('A key that was sent to the wrong place', () => {
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

  /** Asks, and expects the key nowhere in what is kept or answered: log, answer, metrics (D19, T12). */
  async function expectUntold(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
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
    it(`is told nowhere: ?${query}`, async () => {
      await expectUntold(`${service.url}/pm/v2/news?${filled(query)}`);
      await expectUntold(`${service.url}/pm/v2/news?${filled(query)}`, { 'X-API-Key': key });
      await expectUntold(`${service.url}/nowhere?${filled(query)}`);
    });
  }

  for (const path of PATHS) {
    it(`is told nowhere: ${path}`, async () => {
      const answer = await expectUntold(`${service.url}${filled(path)}`);
      expect(answer.status).to.equal(404);
    });

    it(`is told nowhere on the internal listener: ${path}`, async () => {
      await expectUntold(`${service.internalUrl}${filled(path)}`, bearer('operator-token-of-the-tests'));
    });
  }

  for (const [name, value] of Object.entries(HEADERS)) {
    it(`is told nowhere: ${name}: ${value}`, async () => {
      for (const path of ['/pm/v2/news', '/pm/v2/news?limit=0', '/nowhere']) {
        await expectUntold(`${service.url}${path}`, { [name]: filled(value) });
      }
    });
  }

  for (const path of [
    '/internal/v1/keys/$KEY',
    '/internal/v1/accounts/$ENCODED',
    '/internal/v1/accounts?email=$KEY',
    '/internal/v1/accounts?email=svc%5F$SUFFIX',
  ]) {
    it(`is told nowhere when an operator asks for it: ${path}`, async () => {
      const answer = await expectUntold(
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
    it(`is told nowhere: ${request.split('\r\n').join(' ⏎ ')}`, async () => {
      const caller = await rawSocket(service.port);
      caller.send(`${filled(request)}\r\n\r\n`);
      const text = await caller.all();
      const [, id] = /X-Request-Id: (\S+)/i.exec(text) ?? [];
      await service.line((line) => line['request_id'] === id);
      expectClean('the answer', text);
      expectClean('the log', service.lines.map((line) => JSON.stringify(line)).join('\n'));
    });
  }

  it('has no part in a fault that is reported', async () => {
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

  it('is answered with a request id of the service’s own where it was sent as one (D38)', async () => {
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
    it(`works, and its answer is kept by nobody: ?${query} → ${status} (D19)`, async () => {
      const answer = await ask(`${service.url}/pm/v2/news?${query.replace('$KEY', key)}`);
      expect(answer.status).to.equal(status);
      expect(answer.headers).to.include({ 'cache-control': cacheControl, 'referrer-policy': 'no-referrer' });
    });
  }

  it('keeps its answer from every store also as 304 (D19)', async () => {
    const url = `${service.url}/pm/v2/news?api_key=${key}`;
    const { etag = '' } = (await ask(url)).headers;
    const answer = await ask(url, { headers: { 'If-None-Match': etag } });
    expect(answer.status).to.equal(304);
    expect(answer.headers).to.include({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
  });

  it('leaves answers to a key in a header as they are', async () => {
    const answer = await ask(`${service.url}/pm/v2/news`, { headers: bearer(key) });
    expect(answer.headers['cache-control']).to.equal('private, no-cache');
    expect(answer.headers).not.to.have.property('referrer-policy');
  });
});
