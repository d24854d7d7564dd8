import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { expect } from 'chai';
import sinon from 'sinon';
import {
  type Answer,
  ask,
  type Composed,
  composed,
  keyHolder,
  publish,
  requestNews,
} from '../../support/service/composed.js';

const DECODERS = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
} as const;

const ids = (count: number) => Array.from({ length: count }, (_, i) => `ne_${i}`);

describe('A page as sent', () => {
  let service: Composed;
  let key: string;
  before(async () => {
    service = await composed();
    key = (await keyHolder(service)).value;
    await publish(service, ...ids(40));
  });
  after(() => service.stop());

  for (const encoding of ['br', 'gzip'] as const) {
    it(`has the same content and ETag in ${encoding} as without encoding (D36)`, async () => {
      const plain = await requestNews(service, key, { 'Accept-Encoding': 'identity' });
      const encoded = await requestNews(service, key, { 'Accept-Encoding': encoding });

      expect(plain.headers).not.to.have.property('content-encoding');
      expect(encoded.headers['content-encoding']).to.equal(encoding);
      expect(encoded.body.length).to.be.below(plain.body.length);
      expect(DECODERS[encoding](encoded.body).equals(plain.body)).to.equal(true);
      expect(encoded.headers.etag).to.equal(plain.headers.etag).and.to.match(/^W\/"/);
    });
  }

  const choices = [
    ['br, gzip', 'br'],
    ['deflate, gzip', 'gzip'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['deflate', undefined],
    ['', undefined],
    ['gzip;q=0, br;q=0', undefined],
  ] as const;
  for (const [sent, chosen] of choices) {
    it(`has ${chosen ?? 'no encoding'} for Accept-Encoding “${sent}” (D36)`, async () => {
      const answer = await requestNews(service, key, { 'Accept-Encoding': sent });
      expect([answer.status, answer.headers['content-encoding']]).to.deep.equal([200, chosen]);
      expect(answer.headers.vary).to.equal('Authorization, X-API-Key, Accept-Encoding');
    });
  }

  it('is not compressed if it is small', async () => {
    const answer = await requestNews(service, key, { 'Accept-Encoding': 'br' }, '?news_id=none');
    expect(answer.headers).not.to.have.property('content-encoding');
    expect(answer.json()).to.deep.equal({ items: [], next_cursor: null });
  });

  const comparable = ({ headers, status }: Answer) => {
    const { date: _, 'x-request-id': __, ...others } = headers;
    return { status, ...others };
  };
  const limitHeader = /^(ratelimit|x-ratelimit-remaining)$/;
  const withoutLimits = (answer: Answer) =>
    Object.fromEntries(Object.entries(comparable(answer)).filter(([name]) => !limitHeader.test(name)));

  for (const [name, query, headers] of [
    ['a page', '', { 'Accept-Encoding': 'identity' }],
    ['a page in br', '', { 'Accept-Encoding': 'br' }],
    ['a bad parameter', '?limit=0', {}],
  ] as const) {
    it(`has the same headers for HEAD as for GET, and no body: ${name} (D36)`, async () => {
      const url = `${service.url}/pm/v2/news${query}`;
      const sent = { ...headers, Authorization: `Bearer ${key}` };
      const got = await ask(url, { headers: sent });
      const head = await ask(url, { method: 'HEAD', headers: sent });
      expect(withoutLimits(head)).to.deep.equal(withoutLimits(got));
      expect(head.headers['content-length']).to.equal(String(got.body.length));
      expect(head.body.length).to.equal(0);
      expect(Number(head.headers['x-ratelimit-remaining'])).to.equal(
        Number(got.headers['x-ratelimit-remaining']) - 1,
      );
    });
  }

  for (const method of ['GET', 'HEAD']) {
    it(`is 304 for ${method} if the client has it, with all headers and at no cost (D34, D36)`, async () => {
      const url = `${service.url}/pm/v2/news?limit=7`;
      const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'br' };
      const first = await ask(url, { headers });
      const { etag = '' } = first.headers;

      const again = await ask(url, { method, headers: { ...headers, 'If-None-Match': etag } });

      expect([again.status, again.body.length]).to.deep.equal([304, 0]);
      for (const name of ['etag', 'feed-head', 'vary', 'cache-control', 'ratelimit-policy', 'ratelimit']) {
        expect(again.headers[name], name).to.equal(first.headers[name]);
      }
      expect(again.headers['cache-control']).to.equal('private, no-cache');
      expect(again.headers).not.to.have.any.keys('content-type', 'content-encoding', 'transfer-encoding');
    });
  }

  it('matches a list of tags, a star and the strong form of its tag (RFC 9110)', async () => {
    const { etag = '' } = (await requestNews(service, key)).headers;
    for (const sent of [`"other", ${etag}`, '*', etag.replace('W/', '')]) {
      expect((await requestNews(service, key, { 'If-None-Match': sent })).status, sent).to.equal(304);
    }
    expect((await requestNews(service, key, { 'If-None-Match': '"other"' })).status).to.equal(200);
  });

  it('is not revalidated without a valid key (D34)', async () => {
    const { etag = '' } = (await requestNews(service, key)).headers;
    const url = `${service.url}/pm/v2/news`;
    expect((await ask(url, { headers: { 'If-None-Match': etag } })).status).to.equal(401);
    expect((await ask(url, { headers: { 'If-None-Match': '*' } })).status).to.equal(401);
  });
});

describe('A page that many clients request at once', () => {
  let service: Composed;
  let key: string;
  let spies: { readonly br: sinon.SinonSpy; readonly gzip: sinon.SinonSpy };
  before(async () => {
    // Modules that import the compressors of Node by name see the spies only after synchronisation.
    spies = { br: sinon.spy(zlib, 'brotliCompress'), gzip: sinon.spy(zlib, 'gzip') };
    syncBuiltinESMExports();
    service = await composed();
    key = (await keyHolder(service)).value;
    await publish(service, ...ids(40));
  });
  after(async () => {
    sinon.restore();
    syncBuiltinESMExports();
    await service.stop();
  });

  it('is compressed once for each encoding (T13)', async () => {
    const asked = Array.from({ length: 100 }, (_, i) =>
      requestNews(service, key, { 'Accept-Encoding': i % 2 === 0 ? 'br' : 'gzip' }),
    );
    const answers = await Promise.all(asked);

    expect(answers.map(({ status }) => status)).to.deep.equal(Array(100).fill(200));
    expect(new Set(answers.map(({ body }) => body.toString('base64'))).size).to.equal(2);
    expect([spies.br.callCount, spies.gzip.callCount]).to.deep.equal([1, 1]);
  });

  it('is compressed again only once it has changed (T13)', async () => {
    const calls = spies.br.callCount;
    const before = await requestNews(service, key, { 'Accept-Encoding': 'br' });
    await publish(service, 'ne_new');
    const after = await requestNews(service, key, { 'Accept-Encoding': 'br' });
    await requestNews(service, key, { 'Accept-Encoding': 'br' });

    expect(after.headers.etag).not.to.equal(before.headers.etag);
    expect(spies.br.callCount).to.equal(calls + 1);
  });

  it('is not compressed for HEAD again, nor for 304 at all (T13)', async () => {
    const { headers } = await requestNews(service, key, { 'Accept-Encoding': 'br' });
    const calls = spies.br.callCount + spies.gzip.callCount;
    await ask(`${service.url}/pm/v2/news`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'br' },
    });
    const fresh = await requestNews(service, key, {
      'Accept-Encoding': 'gzip;q=0.1, br',
      'If-None-Match': headers.etag ?? '',
    });
    expect(fresh.status).to.equal(304);
    expect(spies.br.callCount + spies.gzip.callCount).to.equal(calls);
  });
});
