import { once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import {
  advance,
  aKey,
  ids,
  page,
  problem,
  publishAll,
  type Target,
  unique,
} from '../../support/service/target.js';

const MEGABYTE = 1_024 * 1_024;

/** D5, D30, D36: sizes to the byte, bodies without a length, encodings of one page, the test clock. */
export function edgesSuite({ client, service }: Target): void {
  describe('at the edges', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });

    it('a line of exactly 1 MB is taken, and one byte more is not (D30)', async () => {
      const [fits, over] = [unique(), unique()];
      const line = (id: string, bytes: number) => JSON.stringify(publication({ id })).padEnd(bytes, ' ');
      const reply = await client().publish(`${line(fits, MEGABYTE)}\n${line(over, MEGABYTE + 1)}\n`);
      expect(reply.json).to.have.property('accepted', 1);
      expect(reply.json).to.have.nested.property('rejected[0].line', 2);
      expect(reply.json).to.have.nested.property('rejected[0].errors[0].code', 'line_too_long');
      expect(ids(await client().news(key, `?news_id=${fits}`))).to.deep.equal([fits]);
      expect(ids(await client().news(key, `?news_id=${over}`))).to.deep.equal([]);
    });

    it('lines that end in CR LF, blank ones and a last one without an end are read and counted (D30)', async () => {
      const [one, two] = [unique(), unique()].map((id) => JSON.stringify(publication({ id })));
      const reply = await client().publish(`\r\n${one}\r\n \t\r\n\n{}\n${two}`);
      expect(reply.json).to.have.property('accepted', 2);
      expect(reply.json).to.have.nested.property('rejected[0].line', 5);
    });

    it('a stream that does not say its length is 413 beyond 64 MB; what came before is stored (D30)', async () => {
      const id = unique();
      const [instance] = service().instances;
      const sending = request(`${instance?.internalUrl}/internal/v1/news`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${service().tokens.publisher}`,
          'Content-Type': 'application/x-ndjson',
        },
        agent: false,
      });
      const answered = once(sending, 'response');
      sending.write(`${JSON.stringify(publication({ id }))}\n`);
      const blank = Buffer.alloc(MEGABYTE, `${' '.repeat(1_023)}\n`);
      for (let sent = 0; sent < 65; sent += 1) {
        if (!sending.write(blank)) await once(sending, 'drain');
      }
      sending.end();
      const [response] = await answered;
      response.resume();
      expect(response.statusCode).to.equal(413);
      await client().shownByAll();
      expect(ids(await client().news(key, `?news_id=${id}`))).to.deep.equal([id]);
    }).timeout(60_000);

    it('a page is the same in every encoding, under one ETag (D36)', async () => {
      await publishAll(client(), [publication({ id: unique() }), publication({ id: unique() })]);
      const replies = [];
      for (const encoding of ['identity', 'gzip', 'br']) {
        replies.push(await client().news(key, '?limit=2', { 'Accept-Encoding': encoding }));
      }
      expect(replies.map(({ headers }) => headers['content-encoding'])).to.deep.equal([
        undefined,
        'gzip',
        'br',
      ]);
      expect(new Set(replies.map(({ text }) => text)).size).to.equal(1);
      expect(new Set(replies.map(({ headers }) => headers['etag'])).size).to.equal(1);
      const tag = { 'If-None-Match': replies[0]?.headers['etag'] ?? '', 'Accept-Encoding': 'br' };
      const again = await client().news(key, '?limit=2', tag);
      expect([again.status, again.text, again.headers['content-encoding']]).to.deep.equal([
        304,
        '',
        undefined,
      ]);
    });

    it('an ETag changes with the page, and not with the head (D8, D36)', async () => {
      const id = unique();
      await publishAll(client(), [publication({ id })]);
      const read = () => client().news(key, `?news_id=${id}`);
      const first = await read();
      await publishAll(client(), [publication({ id: unique() })]);
      const second = await read();
      expect(second.headers['etag']).to.equal(first.headers['etag']);
      expect(second.headers['feed-head']).not.to.equal(first.headers['feed-head']);
      const sent = publication({ id });
      await publishAll(client(), [{ ...sent, news_event: { ...sent.news_event, headline: 'Talks end' } }]);
      expect((await read()).headers['etag']).not.to.equal(first.headers['etag']);
    });

    it('HEAD answers a condition as GET does, and 404 has no body for it (D36)', async () => {
      const etag = (await client().news(key, '?limit=1')).headers['etag'] ?? '';
      const headers = { 'X-API-Key': key, 'If-None-Match': etag };
      const head = await client().ask('/pm/v2/news?limit=1', { method: 'HEAD', headers });
      expect(head.status).to.equal(304);
      const nowhere = await client().ask('/nowhere', { method: 'HEAD' });
      expect([nowhere.status, nowhere.text]).to.deep.equal([404, '']);
    });

    it('/openapi.json is 304 for who has it, and takes OPTIONS without a key (D36)', async () => {
      const { headers } = await client().ask('/openapi.json');
      const tag = { 'If-None-Match': headers['etag'] ?? '' };
      expect((await client().ask('/openapi.json', { headers: tag })).status).to.equal(304);
      const options = await client().ask('/openapi.json', { method: 'OPTIONS' });
      expect([options.status, options.headers['allow']]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
    });

    it('`since` behind `cursor` is an empty page, and so is a cursor before all time (D8)', async () => {
      for (const query of ['?since=2026-02-01&cursor=2026-01-01', '?cursor=0001-01-01']) {
        expect(page(await client().news(key, query))).to.deep.equal({ items: [], next_cursor: null });
      }
    });

    it('`limit` may have leading zeros, and is 50 without a word (D13)', async () => {
      expect(ids(await client().news(key, '?limit=001'))).to.have.length(1);
      await publishAll(
        client(),
        Array.from({ length: 51 }, () => publication({ id: unique() })),
      );
      expect(ids(await client().news(key))).to.have.length(50);
      expect((await client().news(key, '?limit=000')).status).to.equal(400);
      expect((await client().news(key, '?limit=0050')).status).to.equal(400);
    });

    it('the test clock only goes forward, by parts of a second too, and for operators only (D5, D30)', async () => {
      const before = await advance(client(), 0);
      const after = await advance(client(), 0.25);
      expect(Date.parse(after) - Date.parse(before)).to.be.at.least(250);
      const now = (await client().operate('GET', '/internal/v1/test-clock')).json as { readonly now: string };
      expect(now.now >= after).to.equal(true);
      for (const advance_seconds of [-1, '1', null, 1e12]) {
        const refused = await client().operate('POST', '/internal/v1/test-clock', { advance_seconds });
        expect([refused.status, problem(refused).code]).to.deep.equal([400, 'invalid_body']);
      }
      const headers = { Authorization: `Bearer ${service().tokens.publisher}` };
      expect((await client().internal('/internal/v1/test-clock', { headers })).status).to.equal(403);
    });

    it('retracting is for publishers only, whatever the id looks like (D30)', async () => {
      const id = `${unique()}/..+x`;
      const sent = publication({ id });
      const plain = { ...sent, news_event: { ...sent.news_event, source_news_url: null } };
      await publishAll(client(), [plain]);
      const retract = async (token: string) => {
        const asked = { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } };
        return (await client().internal(`/internal/v1/news/${encodeURIComponent(id)}`, asked)).status;
      };
      const { operator, publisher } = service().tokens;
      expect([await retract('x'), await retract(operator), await retract(publisher)]).to.deep.equal([
        401, 403, 204,
      ]);
    });
  });
}
