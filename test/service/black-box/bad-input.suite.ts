import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { aKey, type ServiceUnderTest } from '../../support/service/api-calls.js';
import type { Asked } from '../../support/service/client.js';

const QUERIES = [
  'limit=1e2',
  'limit=١',
  'limit=50%00',
  'limit=0x10',
  'limit=99999999999999999999',
  'limit=NaN',
  'limit[]=1',
  'cursor=%',
  'cursor=%ff',
  'cursor=%00',
  'cursor=2026-01-31T12:00:00.%30Z&cursor=',
  'cursor=-1',
  'cursor=0',
  'since=2026-13-01',
  'since=2026-00-00',
  'since=0000-01-01',
  'since=10000-01-01',
  'since=2026-01-31T12:00:00+24:00',
  `since=2026-01-31T12:00:00.${'9'.repeat(3_000)}Z`,
  'since=9999-12-31T23:59:60Z',
  'since=0001-01-01T00:00:00%2B14:00',
  'since[$gt]=',
  'since=%F0%9F%98%80',
  'news_id=__proto__',
  'news_id=%27%20OR%201=1--',
  'news_id=%E0%80%AF',
  'news_id=%ED%A0%80',
  `news_id=${'x'.repeat(4_000)}`,
  'market_id=constructor',
  'market_id=%0d%0aSet-Cookie:x',
  '=',
  '&',
  '&&&&',
  '=&=',
  '?',
  '%',
  '%zz=%zz',
  '__proto__[limit]=1',
  'toString=1',
  'api_key',
  'api_key=%',
  'a'.repeat(4_096),
  'a&'.repeat(2_048),
  `limit=1${'&limit=1'.repeat(500)}`,
].map((query) => encodeURI(query).replaceAll('%25', '%'));

const HEADERS: readonly Asked['headers'][] = [
  { 'Accept-Encoding': 'gzip;q=abc, br;q=-1, *;q=2, , ;;' },
  { 'Accept-Encoding': 'identity;q=0, *;q=0' },
  { 'If-None-Match': '"' },
  { 'If-None-Match': '*' },
  { 'If-None-Match': Array(300).fill('W/"x"').join(', ') },
  { 'If-Modified-Since': 'yesterday' },
  { Range: 'bytes=5-1' },
  { Authorization: 'Bearer' },
  { Authorization: `Bearer ${'x '.repeat(2_000)}` },
  { Authorization: 'Negotiate, Basic, Bearer' },
  { 'X-Forwarded-For': ',,,,' },
  { 'X-Request-Id': ['one-of-two', 'two-of-two'] },
  { Expect: 'the-unexpected' },
  { Connection: 'Upgrade, close', Upgrade: 'websocket' },
  { 'Content-Type': 'application/json', 'Content-Length': '0' },
  { Cookie: 'x'.repeat(8_000) },
];

const BODIES: readonly (readonly [what: string, body: string])[] = [
  ['nothing', ''],
  ['null', 'null'],
  ['a number', '5'],
  ['an empty list', '[]'],
  ['a list in a list', '[[]]'],
  ['an unterminated string', '"'],
  ['400 000 unclosed brackets', '['.repeat(400_000)],
  ['an object with prototype keys', '{"__proto__":{"news_event":{}},"constructor":{}}'],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]).toString('latin1')],
  ['a number that overflows', JSON.stringify(publication()).replace('0.61', '1e999')],
  ['a headline that is a list', JSON.stringify(publication()).replace('"Talks resume"', '["Talks resume"]')],
  ['an id with a control character', JSON.stringify(publication({ id: 'a\u0000b' }))],
  ['an id of 100 000 characters', JSON.stringify(publication({ id: 'x'.repeat(100_000) }))],
];

/** Invalid input is refused or ignored. It never causes a 5xx or a logged fault. */
export function badInputSuite({ client, service }: ServiceUnderTest): void {
  describe('bad input', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client(), 'pro'));
    });

    for (const query of QUERIES) {
      it(`?${query.slice(0, 60)} is answered 200 or 400`, async () => {
        expect((await client().news(key, `?${query}`)).status).to.be.oneOf([200, 400]);
      });
    }

    HEADERS.forEach((headers, i) => {
      it(`in headers is answered 200 or 304: ${JSON.stringify(headers).slice(0, 60)} (${i})`, async () => {
        const asked = { 'X-API-Key': key, ...headers };
        const { status } = await client().ask('/pm/v2/news?limit=1', { headers: asked });
        expect(status).to.be.oneOf([200, 304]);
      });
    });

    for (const [what, body] of BODIES) {
      it(`${what}, published, is answered 200, 400 or 422 and stores nothing`, async () => {
        for (const type of ['application/json', 'application/x-ndjson']) {
          const reply = await client().publish(Buffer.from(body, 'latin1'), '', type);
          expect(reply.status).to.be.oneOf([200, 400, 422]);
          if (reply.status !== 400) expect(reply.json).to.include({ accepted: 0 });
        }
      });
      it(`${what}, sent by an operator, is answered 400, 404 or 413`, async () => {
        const headers = {
          Authorization: `Bearer ${service().tokens.operator}`,
          'Content-Type': 'application/json',
        };
        for (const path of ['accounts', 'accounts/nobody/keys', 'keys/nobody/revoke', 'test-clock']) {
          const sent = { method: 'POST', headers, body: Buffer.from(body, 'latin1') };
          const { status } = await client().internal(`/internal/v1/${path}`, sent);
          expect(status, path).to.be.oneOf([400, 404, 413]);
        }
      });
    }

    for (const id of ['%', '%ff', '%00', '%2e%2e', '..%2f..', '__proto__', 'x'.repeat(5_000), '%E2%80%AE']) {
      it(`/${id.slice(0, 20)} as an id is answered 404`, async () => {
        for (const path of [`keys/${id}`, `accounts/${id}`]) {
          expect((await client().operate('GET', `/internal/v1/${path}`)).status).to.equal(404);
        }
      });
    }

    after('leaves no fault and no 5xx in the log', () => {
      const faults = client()
        .outputs()
        .filter((line) => /"msg":"a request failed"|"status":5\d\d/.test(line));
      expect(faults).to.deep.equal([]);
    });
  });
}
