import { once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import {
  aKey,
  ids,
  ndjson,
  problem,
  type ServiceUnderTest,
  unique,
} from '../../support/service/api-calls.js';

type Report = {
  readonly accepted: number;
  readonly rejected: readonly {
    readonly line: number;
    readonly id: string | null;
    readonly errors: readonly { readonly parameter: string; readonly code: string }[];
  }[];
};

const MEGABYTE = 1_024 * 1_024;

/** D30, D41: what publishers may send, and the report that they get. */
export function publishingSuite({ client, service }: ServiceUnderTest): void {
  describe('publishing', () => {
    let key: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    const reported = (report: unknown) =>
      (report as Report).rejected.map(({ line, id, errors }) => [
        line,
        id,
        ...errors.map(({ parameter, code }) => `${parameter} ${code}`),
      ]);

    it('accepts one item, an array, and NDJSON', async () => {
      const [one, two, three] = [unique(), unique(), unique()].map((id) => publication({ id }));
      const bodies = [JSON.stringify(one), JSON.stringify([one, two])] as const;
      expect((await client().publish(bodies[0], '', 'application/json')).json).to.deep.equal({
        accepted: 1,
        unchanged: 0,
        rejected: [],
      });
      expect((await client().publish(bodies[1], '', 'application/json; charset=utf-8')).json).to.deep.equal({
        accepted: 1,
        unchanged: 1,
        rejected: [],
      });
      expect((await client().publish(ndjson(three === undefined ? [] : [three]))).json).to.deep.equal({
        accepted: 1,
        unchanged: 0,
        rejected: [],
      });
    });

    it('stores the valid lines, and reports each invalid line with number, id and path', async () => {
      const [good, bad] = [publication({ id: unique() }), publication({ id: 'bad' })];
      const { headline: _, ...event } = bad.news_event;
      const twice = bad.related_markets.concat(bad.related_markets);
      const lines = [
        JSON.stringify(good),
        '',
        JSON.stringify({ ...bad, news_event: event }),
        JSON.stringify({ ...bad, color: 'red' }),
        JSON.stringify({ ...bad, scored_at: '2999-01-01' }),
        JSON.stringify({ ...bad, related_markets: twice }),
        '{"news_event": {"id": "half',
        '[]',
        `"${'x'.repeat(MEGABYTE)}"`,
        JSON.stringify({ ...good, news_event: { ...good.news_event, id: unique() } }),
        JSON.stringify(good).slice(0, 40),
      ];
      const reply = await client().publish(lines.join('\n'));
      expect(reply.status).to.equal(200);
      expect((reply.json as Report).accepted).to.equal(2);
      expect(reported(reply.json)).to.deep.equal([
        [3, 'bad', '/news_event/headline missing'],
        [4, 'bad', '/color unknown_field'],
        [5, 'bad', '/scored_at scored_at_in_future'],
        [6, 'bad', '/related_markets/1/sub_markets/0/sub_market_id repeated_sub_market'],
        [7, null, ' invalid_json'],
        [8, null, ' invalid_type'],
        [9, null, ' line_too_long'],
        [11, null, ' invalid_json'],
      ]);
    });

    it('refuses invalid JSON, media types and modes', async () => {
      const bad = await client().publish('{"news_event":', '', 'application/json');
      expect([bad.status, problem(bad).code]).to.deep.equal([400, 'invalid_body']);
      const type = await client().publish('x', '', 'text/plain');
      expect([type.status, problem(type).code]).to.deep.equal([415, 'unsupported_media_type']);
      const mode = await client().publish('', '?mode=sideways');
      expect([mode.status, problem(mode).code]).to.deep.equal([400, 'invalid_parameter']);
    });

    it('accepts a line of exactly 1 MB, and none that is a byte longer (D30)', async () => {
      const [fits, over] = [unique(), unique()];
      const line = (id: string, bytes: number) => JSON.stringify(publication({ id })).padEnd(bytes, ' ');
      const reply = await client().publish(`${line(fits, MEGABYTE)}\n${line(over, MEGABYTE + 1)}\n`);
      expect(reply.json).to.have.property('accepted', 1);
      expect(reply.json).to.have.nested.property('rejected[0].line', 2);
      expect(reply.json).to.have.nested.property('rejected[0].errors[0].code', 'line_too_long');
      expect(ids(await client().news(key, `?news_id=${fits}`))).to.deep.equal([fits]);
      expect(ids(await client().news(key, `?news_id=${over}`))).to.deep.equal([]);
    });

    it('counts lines with CR LF, blank lines and a last line without a line end (D30)', async () => {
      const [one, two] = [unique(), unique()].map((id) => JSON.stringify(publication({ id })));
      const reply = await client().publish(`\r\n${one}\r\n \t\r\n\n{}\n${two}`);
      expect(reply.json).to.have.property('accepted', 2);
      expect(reply.json).to.have.nested.property('rejected[0].line', 5);
    });

    it('refuses a stream without a length beyond 64 MB, and keeps the items before that (D30)', async () => {
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
      await client().publishedByAll();
      expect(ids(await client().news(key, `?news_id=${id}`))).to.deep.equal([id]);
    }).timeout(60_000);
  });
}

/** D30: these bodies have no item, so no deployment stores anything of them, and one deployment is enough. */
export function bodyLimitsSuite({ client }: ServiceUnderTest): void {
  describe('publishing', () => {
    it('accepts at most 64 MB of NDJSON and 8 MB of JSON', async () => {
      const line = `${JSON.stringify({ filler: 'x'.repeat(64 * 1_024) })}\n`;
      const most = Buffer.alloc(64 * MEGABYTE, line);
      const reply = await client().publish(most);
      expect(reply.status).to.equal(422);
      expect((reply.json as Report).accepted).to.equal(0);
      const more = await client().publish(Buffer.concat([most, Buffer.from('\n')]));
      expect([more.status, problem(more).code]).to.deep.equal([413, 'payload_too_large']);
      const json = await client().publish(Buffer.alloc(8 * MEGABYTE + 1, ' '), '', 'application/json');
      expect([json.status, problem(json).code]).to.deep.equal([413, 'payload_too_large']);
    }).timeout(120_000);
  });
}
