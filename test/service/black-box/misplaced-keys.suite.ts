import { expect } from 'chai';
import { type Asked, send } from '../../support/service/client.js';
import { aKey, problem, type Target } from '../../support/service/target.js';

/** Every character percent-encoded. */
const encoded = (text: string) =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** As `encodeURIComponent` twice over makes it of what one encoding left: `%5F` becomes `%255F`. */
const encodedTwice = (text: string) => encoded(text).replaceAll('%', '%25');

type Place = readonly [
  where: string,
  path: (key: string) => string,
  headers?: (key: string) => Asked['headers'],
];

const PLACES: readonly Place[] = [
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

/** D19, D38, T12: a key is written down nowhere, wherever a caller puts it. */
export function misplacedKeysSuite({ client, service }: Target): void {
  describe('a key that is sent as', () => {
    /** All that was written about a request, once its line is there, with every encoding undone. */
    const written = async (id: string) => {
      await client().line(id);
      return client().outputs().map(readable);
    };
    const isIn = (lines: readonly string[], key: string) =>
      lines.filter((line) => line.includes(key.slice(12)));

    for (const [where, path, headers] of PLACES) {
      it(`${where} is in no log and no answer (D19)`, async () => {
        const { key } = await aKey(client());
        const reply = await client().ask(path(key), { headers: headers?.(key) ?? {} });
        expect(JSON.stringify([reply.headers, reply.text].map(readable))).not.to.include(key.slice(12));
        expect(isIn(await written(reply.headers['x-request-id'] ?? ''), key)).to.deep.equal([]);
      });
    }

    it('the name of a key or an account, inside, is in no log and no answer (D19)', async () => {
      const { key } = await aKey(client());
      for (const path of [`keys/${key}`, `accounts/${key}`, `accounts?email=${key}`]) {
        const reply = await client().operate('GET', `/internal/v1/${path}`);
        expect(reply.status).to.equal(404);
        expect(reply.text).not.to.include(key.slice(12));
        expect(isIn(await written(reply.headers['x-request-id'] ?? ''), key)).to.deep.equal([]);
      }
    });

    it('a label of the metrics is not there (D19)', async () => {
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

/** A text with its percent-encoding undone, however often it was applied. */
function readable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const once = text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return once === text ? text : readable(once);
}
