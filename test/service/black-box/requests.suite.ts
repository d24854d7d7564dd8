import { expect } from 'chai';
import type { Asked } from '../../support/service/client.js';
import { aKey, problem, type Target } from '../../support/service/target.js';

const STRANGE = `svc_${'A'.repeat(43)}`;

/** Contract sections 5.1, 5.5 and 7: carriers, order of checks, and what is no request for the feed at all. */
export function requestsSuite({ client }: Target): void {
  describe('a request', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const ask = async (headers: Asked['headers'], query = '') => {
      const reply = await client().ask(`/pm/v2/news${query}`, { headers: headers ?? {} });
      return reply.status === 200 ? '200' : `${reply.status} ${problem(reply).code}`;
    };

    const carriers: readonly (readonly [
      what: string,
      headers: (key: string) => NonNullable<Asked['headers']>,
      query: (key: string) => string,
      answer: string,
    ])[] = [
      ['Bearer', (k) => ({ Authorization: `Bearer ${k}` }), () => '', '200'],
      ['bearer in lower case', (k) => ({ Authorization: `bearer  ${k}` }), () => '', '200'],
      ['X-API-Key', (k) => ({ 'X-API-Key': k }), () => '', '200'],
      ['api_key', () => ({}), (k) => `?api_key=${k}`, '200'],
      ['no key', () => ({}), () => '', '401 key_missing'],
      [
        'empty carriers',
        () => ({ 'X-API-Key': '', Authorization: 'Bearer ' }),
        () => '?api_key=',
        '401 key_missing',
      ],
      ['Basic', (k) => ({ Authorization: `Basic ${k}` }), () => '', '401 key_missing'],
      ['Basic and api_key', () => ({ Authorization: 'Basic x' }), (k) => `?api_key=${k}`, '200'],
      [
        'X-API-Key like a key before Bearer',
        (k) => ({ 'X-API-Key': STRANGE, Authorization: `Bearer ${k}` }),
        () => '',
        '401 key_unknown',
      ],
      [
        'Bearer before X-API-Key unlike a key',
        (k) => ({ 'X-API-Key': 'other', Authorization: `Bearer ${k}` }),
        () => '',
        '200',
      ],
      [
        'X-API-Key unlike a key before api_key',
        () => ({ 'X-API-Key': 'other' }),
        (k) => `?api_key=${k}`,
        '401 key_unknown',
      ],
      ['X-API-Key twice, different', (k) => ({ 'X-API-Key': [k, STRANGE] }), () => '', '401 key_unknown'],
      ['X-API-Key twice, the same', (k) => ({ 'X-API-Key': [k, k] }), () => '', '200'],
      ['api_key twice, different', () => ({}), (k) => `?api_key=${k}&api_key=${STRANGE}`, '401 key_unknown'],
      [
        'a key with one character less',
        (k) => ({ 'X-API-Key': k.slice(0, -1) }),
        () => '',
        '401 key_unknown',
      ],
      ['a bad limit behind a bad key', () => ({ 'X-API-Key': STRANGE }), () => '?limit=0', '401 key_unknown'],
    ];
    for (const [what, headers, query, answer] of carriers) {
      it(`with ${what} is answered ${answer} (D16, D17, D18)`, async () => {
        expect(await ask(headers(key), query(key))).to.equal(answer);
      });
    }

    it('that is refused is told how to identify itself (D37)', async () => {
      const missing = await client().ask('/pm/v2/news');
      expect(missing.headers['www-authenticate']).to.equal('Bearer realm="oddswire"');
      const unknown = await client().news(STRANGE);
      expect(unknown.headers['www-authenticate']).to.equal('Bearer realm="oddswire", error="invalid_token"');
    });

    it('with a key in the query is kept by nobody (D19)', async () => {
      const { headers } = await client().ask(`/pm/v2/news?api_key=${key}`);
      expect(headers['cache-control']).to.equal('private, no-store');
      expect(headers['referrer-policy']).to.equal('no-referrer');
    });

    for (const path of ['/pm/v2/news/', '/PM/v2/news', '/pm/v2', '/', '//pm/v2/news', '/pm/v2/news%2F']) {
      it(`for ${path} is 404: paths are exact (D15, T3)`, async () => {
        const reply = await client().ask(path, { headers: { 'X-API-Key': key } });
        expect([reply.status, problem(reply).code]).to.deep.equal([404, 'not_found']);
      });
    }

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      it(`by ${method} is 405, and told what is allowed (D36, T11)`, async () => {
        const reply = await client().ask('/pm/v2/news', { method });
        expect([reply.status, reply.headers['allow']]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
      });
    }

    it('by OPTIONS is 204 without a key (D36)', async () => {
      const reply = await client().ask('/pm/v2/news', { method: 'OPTIONS' });
      expect([reply.status, reply.headers['allow']]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
      expect(reply.headers['access-control-allow-headers']).to.match(/X-API-Key/);
    });

    it('by HEAD has the headers of GET, and no body (D36)', async () => {
      const asked = { headers: { 'X-API-Key': key } };
      const get = await client().ask('/pm/v2/news', asked);
      const head = await client().ask('/pm/v2/news', { ...asked, method: 'HEAD' });
      expect(head.text).to.equal('');
      for (const name of ['etag', 'content-length', 'content-type', 'feed-head', 'vary', 'cache-control']) {
        expect(head.headers[name], name).to.equal(get.headers[name]);
      }
    });

    it('with a query string over 4096 bytes is 414, before its key is read (D14, T1)', async () => {
      const long = (length: number) => client().ask(`/pm/v2/news?${'a&'.repeat(length / 2)}`);
      expect((await long(4_096)).status).to.equal(401);
      expect((await long(4_098)).status).to.equal(414);
      expect((await long(15_000)).status).to.equal(414);
    });

    it('has the id it brings, if that has the form, and another one if not (D38)', async () => {
      const idFor = async (id: string) =>
        (await client().ask('/pm/v2/news', { headers: { 'X-Request-Id': id } })).headers['x-request-id'];
      expect(await idFor('abc.DEF_123-x')).to.equal('abc.DEF_123-x');
      for (const id of ['short', 'x'.repeat(129), 'with space here', key]) {
        expect(await idFor(id)).not.to.equal(id);
      }
    });

    it('leaves one line in the log, and no key in any of them (D19, T12)', async () => {
      const id = `line-${Date.now()}`;
      await client().ask(`/pm/v2/news?api_key=${key}&limit=1`, { headers: { 'X-Request-Id': id } });
      const line = JSON.parse(await client().line(id)) as object;
      expect(line).to.deep.include({ method: 'GET', status: 200, query: { limit: '1' } });
      const outputs = client().outputs();
      expect(outputs.filter((written) => written.includes(id))).to.have.length(1);
      expect(outputs.filter((written) => written.includes(key.slice(12)))).to.deep.equal([]);
    });

    it('is measured under its route, never under its path (section “metrics”)', async () => {
      await client().ask('/no/such/place');
      const metrics = await client().internal('/metrics');
      expect(metrics.text).to.match(
        /http_server_request_duration_seconds_bucket\{[^}]*route="\/pm\/v2\/news"/,
      );
      expect(metrics.text).to.match(/route="none"/);
      expect(metrics.text).not.to.match(/no\/such\/place|svc_/);
    });
  });
}
