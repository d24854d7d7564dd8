import { expect } from 'chai';
import { aKey, problem, type ServiceUnderTest } from '../../support/service/api-calls.js';
import { type Asked, send } from '../../support/service/client.js';

/** Every character percent-encoded. */
const encoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** Every character percent-encoded twice: `_` becomes `%255F`. */
const encodedTwice = (text: string) => encoded(text).replaceAll('%', '%25');

type CarrierCase = readonly [
  where: string,
  path: (key: string) => string,
  headers?: (key: string) => Asked['headers'],
];

const CARRIER_CASES: readonly CarrierCase[] = [
  ['the key parameter', (key) => `/pm/v2/news?api_key=${key}`],
  ['the key parameter, encoded', (key) => `/pm/v2/news?api_key=${encoded(key)}`],
  ['the key parameter, its name encoded', (key) => `/pm/v2/news?api%5Fkey=${key}`],
  ['a parameter in upper case', (key) => `/pm/v2/news?API_KEY=${key}`],
  ['a filter', (key) => `/pm/v2/news?news_id=${key}&market_id=${encoded(key)}`],
  ['a filter, encoded twice', (key) => `/pm/v2/news?news_id=${encodedTwice(key)}`],
  [
    'a filter, its underscore encoded twice',
    (key) => `/pm/v2/news?news_id=${key.replace('svc_', 'svc%255F')}`,
  ],
  ['a time', (key) => `/pm/v2/news?cursor=${key}&since=${key}`],
  ['the path', (key) => `/${key}`],
  ['the path, encoded', (key) => `/${encoded(key)}`],
  ['the path, encoded twice', (key) => `/${encodedTwice(key)}`],
  ['the request id', () => '/pm/v2/news', (key) => ({ 'X-Request-Id': key })],
  ['the request id, with more beside it', () => '/pm/v2/news', (key) => ({ 'X-Request-Id': `id-${key}` })],
  ['the forwarded address', () => '/pm/v2/news', (key) => ({ 'X-Forwarded-For': key })],
  [
    'the user agent, the referrer and a cookie',
    () => '/',
    (key) => ({ 'User-Agent': key, Referer: key, Cookie: key }),
  ],
  [
    'two carriers at once',
    (key) => `/pm/v2/news?api_key=${key}`,
    (key) => ({ Authorization: `Bearer ${key}` }),
  ],
];

/** D19, D38, T12: the log line of a request, which never contains a key, wherever a caller sends it. */
export function requestLogSuite({ client, service }: ServiceUnderTest): void {
  describe('a request', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });

    it('keeps its request id if that is valid, and gets a new one otherwise (D38)', async () => {
      const idFor = async (id: string) =>
        (await client().ask('/pm/v2/news', { headers: { 'X-Request-Id': id } })).headers['x-request-id'];
      expect(await idFor('abc.DEF_123-x')).to.equal('abc.DEF_123-x');
      for (const id of ['short', 'x'.repeat(129), 'with space here', key]) {
        expect(await idFor(id)).not.to.equal(id);
      }
    });

    it('writes one log line, and no line contains its key (D19, T12)', async () => {
      const id = `line-${Date.now()}`;
      await client().ask(`/pm/v2/news?api_key=${key}&limit=1`, { headers: { 'X-Request-Id': id } });
      const line = JSON.parse(await client().line(id)) as object;
      expect(line).to.deep.include({ method: 'GET', status: 200, query: { limit: '1' } });
      const outputs = client().outputs();
      expect(outputs.filter((written) => written.includes(id))).to.have.length(1);
      expect(outputs.filter((written) => written.includes(key.slice(12)))).to.deep.equal([]);
    });

    it('is measured with its route as label, never with its path', async () => {
      await client().ask('/no/such/path');
      const metrics = await client().internal('/metrics');
      expect(metrics.text).to.match(
        /http_server_request_duration_seconds_bucket\{[^}]*route="\/pm\/v2\/news"/,
      );
      expect(metrics.text).to.match(/route="none"/);
      expect(metrics.text).not.to.match(/no\/such\/path|svc_/);
    });
  });

  describe('a key that is sent as', () => {
    /** The complete output, decoded, once the log line of the request is written. */
    const written = async (id: string) => {
      await client().line(id);
      return client().outputs().map(readable);
    };
    const isIn = (lines: readonly string[], key: string) =>
      lines.filter((line) => line.includes(key.slice(12)));

    for (const [where, path, headers] of CARRIER_CASES) {
      it(`${where} is in no log and no answer (D19)`, async () => {
        const { key } = await aKey(client());
        const reply = await client().ask(path(key), { headers: headers?.(key) ?? {} });
        expect(JSON.stringify([reply.headers, reply.text].map(readable))).not.to.include(key.slice(12));
        expect(isIn(await written(reply.headers['x-request-id'] ?? ''), key)).to.deep.equal([]);
      });
    }

    it('the id of a key or an account, on the internal listener, is in no log and no answer (D19)', async () => {
      const { key } = await aKey(client());
      for (const path of [`keys/${key}`, `accounts/${key}`, `accounts?email=${key}`]) {
        const reply = await client().operate('GET', `/internal/v1/${path}`);
        expect(reply.status).to.equal(404);
        expect(reply.text).not.to.include(key.slice(12));
        expect(isIn(await written(reply.headers['x-request-id'] ?? ''), key)).to.deep.equal([]);
      }
    });

    it('a path is in no label of the metrics (D19)', async () => {
      const { key } = await aKey(client());
      await client().ask(`/pm/v2/news/${key}?api_key=${key}`);
      for (const { internalUrl } of service().instances) {
        const { text } = await send(`${internalUrl}/metrics`, {});
        expect(text).to.include('http_server_request_duration_seconds');
        expect(text).not.to.match(/svc_[A-Za-z0-9_-]{9}/);
      }
    });

    it('a request id is replaced (D38)', async () => {
      const { key } = await aKey(client());
      const reply = await client().ask('/pm/v2/news', { headers: { 'X-Request-Id': key } });
      expect([reply.status, problem(reply).code]).to.deep.equal([401, 'key_missing']);
      expect(reply.headers['x-request-id']).not.to.equal(key);
    });
  });
}

/** Percent-decodes a text until nothing is left to decode. */
function readable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const once = text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return once === text ? text : readable(once);
}
