import { expect } from 'chai';
import { aKey, problem, type ServiceUnderTest } from '../../support/service/api-calls.js';

/** Contract sections 5.5 and 7, D14, D15, D36: which paths, methods and lengths the listener accepts. */
export function pathsAndMethodsSuite({ client }: ServiceUnderTest): void {
  describe('a request', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });

    for (const path of ['/pm/v2/news/', '/PM/v2/news', '/pm/v2', '//pm/v2/news', '/pm/v2/news%2F']) {
      it(`for ${path} is 404: paths are exact (D15, T3)`, async () => {
        const reply = await client().ask(path, { headers: { 'X-API-Key': key } });
        expect([reply.status, problem(reply).code]).to.deep.equal([404, 'not_found']);
      });
    }

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      it(`by ${method} is 405 with \`Allow\` (D36, T11)`, async () => {
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

    it('for /openapi.json is 304 with a matching ETag, and 204 by OPTIONS without a key (D36)', async () => {
      // Without PUBLIC_URL, the documents of two instances have different ports.
      const replies = [await client().ask('/openapi.json'), await client().ask('/openapi.json')];
      const tag = { 'If-None-Match': replies.map(({ headers }) => headers['etag']).join(', ') };
      expect((await client().ask('/openapi.json', { headers: tag })).status).to.equal(304);
      const options = await client().ask('/openapi.json', { method: 'OPTIONS' });
      expect([options.status, options.headers['allow']]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
    });
  });
}
