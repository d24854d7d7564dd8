import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Replacement } from '../../../src/composition/compose.js';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  type Holder,
  keyHolder,
  type LogLine,
  publish,
  requestNews,
} from '../../support/service/composed.js';
import { newsService } from '../../support/service/middleware.js';
import { rawSocket } from '../listener/raw-socket.js';

/** Headers that differ between any two responses. */
const INDIVIDUAL_HEADERS = ['x-request-id', 'date', 'ratelimit', 'x-ratelimit-remaining'];
const common = ({ status, headers, body }: Answer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !INDIVIDUAL_HEADERS.includes(name))),
  body: body.toString('base64'),
});
const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);
const isRequest = ({ msg }: LogLine) => msg === 'request';

describe('The listener of the news page', () => {
  let service: Composed;
  let holder: Holder;
  /** Requests that went through Koa. */
  let byKoa: { requests: number };
  const start = async (environment = {}, ...replacements: readonly Replacement[]) => {
    ({ service, holder, byKoa } = await newsService(['ne_1', 'ne_2', 'ne_3'], environment, ...replacements));
  };
  afterEach(() => service.stop());

  /** Requests the page once, so that it is in the cache. */
  const warm = async (headers: Readonly<Record<string, string>> = {}, query = '') => {
    await requestNews(service, holder.value, headers, query);
    byKoa.requests = 0;
  };

  describe('answers without Koa, with the same response,', () => {
    beforeEach(() => start());

    for (const headers of [
      { 'Accept-Encoding': 'identity' },
      { 'Accept-Encoding': 'gzip' },
      { 'Accept-Encoding': 'br;q=1, gzip;q=0.5' },
      { 'Accept-Encoding': 'nonsense' },
      {},
    ]) {
      for (const query of ['', '?limit=2', '?limit=1&color=red', '?since=2026-03-01', '?market_id=s-ne_2']) {
        it(`a request with ${JSON.stringify(headers)} and the query “${query}” (D36)`, async () => {
          const first = await requestNews(service, holder.value, headers, query);
          const second = await requestNews(service, holder.value, headers, query);
          expect(byKoa.requests).to.equal(0);
          expect(common(second)).to.deep.equal(common(first));
          expect(second.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
          expect(remaining(second)).to.equal(remaining(first) - 1);
          expect(second.headers.ratelimit).to.equal('"minute";r=2998;t=50, "day";r=999998;t=43190');
          const headOnly = await ask(`${service.url}/pm/v2/news${query}`, {
            method: 'HEAD',
            headers: { ...bearer(holder.value), ...headers },
          });
          expect(byKoa.requests).to.equal(1);
          expect(common(headOnly)).to.deep.equal({ ...common(first), body: '' });
        });
      }
    }

    it('a request with the key in X-API-Key or in Authorization (D16)', async () => {
      await warm();
      const answers = [
        await requestNews(service, holder.value),
        await ask(`${service.url}/pm/v2/news`, { headers: { 'X-API-Key': holder.value } }),
      ].map(common);
      expect(answers[1]).to.deep.equal(answers[0]);
      expect(byKoa.requests).to.equal(0);
    });

    it('each of several keys that one connection sends, separately', async () => {
      const other = await keyHolder(service, 'free');
      await warm();
      const caller = await rawSocket(service.port);
      for (const [i, key] of [holder.value, other.value, holder.value, `svc_${'A'.repeat(43)}`].entries()) {
        caller.send(`GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`);
        await caller.until(['r=2998', 'r=59;', 'r=2997', '"code":'][i] ?? '');
      }
      caller.socket.destroy();
      expect(byKoa.requests).to.equal(0);
    });

    it('a request for an empty feed, without Feed-Head', async () => {
      await service.stop();
      await start();
      const [first, second] = [
        await requestNews(service, holder.value),
        await requestNews(service, holder.value),
      ];
      expect(common(second)).to.deep.equal(common(first));
    });

    it('a request of a client that has the page, with 304 and at no cost (D34, D36)', async () => {
      const { headers } = await requestNews(service, holder.value);
      const known = { 'If-None-Match': headers.etag ?? '' };
      const list = await requestNews(service, holder.value, { 'If-None-Match': `"other", ${headers.etag}` });
      byKoa.requests = 0;
      const answer = await requestNews(service, holder.value, known);
      expect(byKoa.requests).to.equal(0);
      expect(common(answer)).to.deep.equal(common(list));
      expect([answer.status, answer.body.length, remaining(answer)]).to.deep.equal([304, 0, 2999]);
      expect(remaining(await requestNews(service, holder.value))).to.equal(2998);
    });

    for (const directive of ['no-cache', 'No-Cache', 'max-age=0, NO-CACHE'])
      it(`a request of a client that has the page but sends ${directive}, with the whole page (RFC 9111)`, async () => {
        const { headers } = await requestNews(service, holder.value);
        const answer = await requestNews(service, holder.value, {
          'If-None-Match': headers.etag ?? '',
          'Cache-Control': directive,
        });
        expect([answer.status, remaining(answer)]).to.deep.equal([200, 2998]);
      });

    it('a request with If-None-Match and If-Modified-Since by the first only (RFC 9110, 13.1.3)', async () => {
      const { headers } = await requestNews(service, holder.value);
      const since = { 'If-Modified-Since': 'Sun, 01 Mar 2026 12:00:00 GMT' };
      const known = await requestNews(service, holder.value, {
        'If-None-Match': headers.etag ?? '',
        ...since,
      });
      expect([known.status, remaining(known)]).to.deep.equal([304, 2999]);
      expect((await requestNews(service, holder.value, since)).status).to.equal(200);
    });

    it('a request with an X-Request-Id, with the same id if it is valid (D38)', async () => {
      await warm();
      const sent = async (id: string) =>
        (await requestNews(service, holder.value, { 'X-Request-Id': id })).headers['x-request-id'];
      expect(await sent('a-request.1')).to.equal('a-request.1');
      expect(await sent('short')).to.match(/^[0-9a-f-]{36}$/);
      expect(await sent(holder.value)).to.match(/^[0-9a-f-]{36}$/);
      expect(byKoa.requests).to.equal(0);
    });

    it('each request with the same log line', async () => {
      for (const _ of [1, 2]) await requestNews(service, holder.value, {}, '?limit=2&mode=x');
      await service.stop();
      const [first, second] = service.lines
        .filter(isRequest)
        .map(({ time, duration_ms, request_id, ...others }) => others);
      expect(second).to.deep.equal(first);
      expect(second).to.deep.include({
        status: 200,
        key_id: holder.key.id,
        query: { limit: '2', mode: 'x' },
      });
    });

    it('a request after a publication, with the new item', async () => {
      await warm();
      await publish(service, 'ne_9');
      const { items } = (await requestNews(service, holder.value)).json<{
        items: { news_event: { id: string } }[];
      }>();
      expect(items.map(({ news_event: { id } }) => id)).to.have.members(['ne_1', 'ne_2', 'ne_3', 'ne_9']);
      expect(byKoa.requests).to.equal(0);
    });
  });

  const raw = async (...lines: readonly string[]) => {
    const caller = await rawSocket(service.port);
    caller.send([...lines, 'Connection: close', '', ''].join('\r\n'));
    return (await caller.all()).split('\r\n')[0];
  };
  const news = 'GET /pm/v2/news HTTP/1.1';
  const asking = (query: string) => news.replace('news', `news?${query}`);
  const sent = () => `X-API-Key: ${holder.value}`;
  type Row = readonly [what: string, status: number, lines: () => readonly string[]];

  describe('leaves requests to Koa that a middleware of all routes may answer or change:', () => {
    beforeEach(() => start());

    // biome-ignore format: a table is read by its columns
    const rows: readonly Row[] = [
      ['another method',                    200, () => [news.replace('GET', 'HEAD'), 'Host: a', sent()]],
      ['another path',                      404, () => [news.replace('news', 'newsroom'), 'Host: a', sent()]],
      ['a path with a slash after it',      404, () => [news.replace('news', 'news/'), 'Host: a', sent()]],
      ['a key in the query',                200, () => [asking(`api_key=${holder.value}`), 'Host: a']],
      ['a key in the query and a header',   200, () => [asking(`api_key=${holder.value}`), 'Host: a', sent()]],
      ['an encoded name in the query',      200, () => [asking(`api%5Fkey=${holder.value}`), 'Host: a']],
      ['a query that is too long',          414, () => [asking('a'.repeat(4_097)), 'Host: a', sent()]],
      ['no Host',                           400, () => [news, sent()]],
      ['two Hosts',                         400, () => [news, 'Host: a', 'Host: b', sent()]],
    ];
    for (const [what, status, lines] of rows) {
      it(`${what}: ${status}`, async () => {
        for (const times of [1, 2]) {
          expect(await raw(...lines())).to.match(new RegExp(`^HTTP/1.1 ${status} `));
          expect(byKoa.requests).to.equal(times);
        }
      });
    }
  });

  describe('answers all other requests for the page itself:', () => {
    beforeEach(() => start());

    // biome-ignore format: a table is read by its columns
    const rows: readonly Row[] = [
      ['a fragment after the path',         200, () => [news.replace('news', 'news#top'), 'Host: a', sent()]],
      ['a fragment after a query',          200, () => [asking('limit=1#top'), 'Host: a', sent()]],
      ['a bad query',                       400, () => [asking('limit=0'), 'Host: a', sent()]],
      ['an encoded value in the query',     200, () => [asking('cursor=2026-03-01T10%3A00%3A02Z'), 'Host: a', sent()]],
      ['no key',                            401, () => [news, 'Host: a']],
      ['two keys',                          401, () => [news, 'Host: a', sent(), 'X-API-Key: other']],
      ['the same key twice',                200, () => [news, 'Host: a', sent(), sent()]],
      ['a key in two headers',              200, () => [news, 'Host: a', sent(), `Authorization: Bearer ${holder.value}`]],
      ['another scheme',                    401, () => [news, 'Host: a', `Authorization: Basic ${holder.value}`]],
      ['a value that cannot be a key',      401, () => [news, 'Host: a', 'X-API-Key: svc_short']],
      ['a body',                            200, () => [news, 'Host: a', sent(), 'Content-Length: 0']],
      ['HTTP/1.0',                          200, () => [news.replace('1.1', '1.0'), 'Host: a', sent()]],
      ['HTTP/1.0 without a Host',           200, () => [news.replace('1.1', '1.0'), sent()]],
    ];
    for (const [what, status, lines] of rows) {
      it(`${what}: ${status}`, async () => {
        for (const _ of [1, 2]) {
          expect(await raw(...lines())).to.match(new RegExp(`^HTTP/1.1 ${status} `));
          expect(byKoa.requests).to.equal(0);
        }
      });
    }

    it('a key that does not exist, and counts its address once (D33)', async () => {
      await warm();
      const unknown = `svc_${'A'.repeat(43)}`;
      for (const left of [29, 28]) {
        const answer = await requestNews(service, unknown);
        expect([answer.status, answer.json().code]).to.deep.equal([401, 'key_unknown']);
        expect(remaining(answer)).to.equal(left);
      }
    });

    it('a page that is not compressed yet, for a single permit (D34)', async () => {
      await warm({ 'Accept-Encoding': 'identity' });
      const answer = await requestNews(service, holder.value, { 'Accept-Encoding': 'gzip' });
      expect([answer.headers['content-encoding'], remaining(answer)]).to.deep.equal(['gzip', 2998]);
      expect(remaining(await requestNews(service, holder.value, { 'Accept-Encoding': 'gzip' }))).to.equal(
        2997,
      );
      const brotli = await requestNews(service, holder.value, { 'Accept-Encoding': 'br' });
      expect(brotliDecompressSync(brotli.body).equals(gunzipSync(answer.body))).to.equal(true);
      await service.stop();
      expect(service.lines.filter(isRequest)).to.have.length(4);
      expect(byKoa.requests).to.equal(0);
    });
  });
});
