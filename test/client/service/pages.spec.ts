import { inspect } from 'node:util';
import { Oddswire, OddswireError } from '@oddswire/client';
import { expect } from 'chai';
import { type FaultyProxy, startFaultyProxy, status } from '../../support/client/faulty-proxy.js';
import { walked } from '../../support/client/followed.js';
import { publication } from '../../support/objects/builders.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { actOn, advance, aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** More than one page of a walk. */
const ITEMS = 505;

const failureOf = async (work: Promise<unknown>): Promise<OddswireError> => {
  const error = await work.then(
    () => expect.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof OddswireError) return error;
  throw error;
};

describe('The client reads pages', () => {
  let service: Service;
  let client: Client;
  let proxy: FaultyProxy;
  let key: KeyView;
  let oddswire: Oddswire;

  before(async () => {
    service = await startService();
    client = await Client.of(service);
    key = await aKey(client);
    await publishAll(
      client,
      Array.from({ length: ITEMS }, (_, n) => publication({ id: `ne_${n}` })),
    );
    proxy = await startFaultyProxy(service.instances[0]?.url ?? '');
    oddswire = new Oddswire({ url: `${proxy.url}/`, key: key.key });
  });
  after(() => Promise.all([proxy.stop(), service.stop()]));

  it('one, with its position and the head of the feed', async () => {
    const patient = new Oddswire({
      url: proxy.url,
      key: key.key,
      timeoutMs: Number.POSITIVE_INFINITY,
      retries: 0,
    });
    const page = await patient.page({ limit: 1, news_id: 'ne_3' });
    const { headers } = await client.news(key.key, '?limit=1&news_id=ne_3');
    expect(page.items.map(({ news_event }) => news_event.id)).to.deep.equal(['ne_3']);
    expect([page.next_cursor, page.position, page.head]).to.deep.equal([
      null,
      headers['feed-position'],
      headers['feed-head'],
    ]);
  });

  it('all, each item once', async () => {
    const { feed, position } = await walked(oddswire);
    expect(feed.size).to.equal(ITEMS);
    expect(position).to.equal((await oddswire.page({ limit: 1 })).position);
  });

  it('in a walk whose position is known after its first page', async () => {
    const walk = oddswire.walk({ limit: 5 });
    expect(() => walk.position).to.throw('first page');
    for await (const _ of walk) break;
    expect(walk.position).to.match(/^[\w.~-]+$/);
  });

  it('and ends a walk whose pages repeat', async () => {
    const cursor = (await oddswire.page({ limit: 500 })).next_cursor ?? '';
    const page = JSON.stringify({ items: [], next_cursor: cursor });
    proxy.failAll(() => status(200, { 'Feed-Position': 'a', 'Content-Type': 'application/json' }, page));
    expect((await failureOf(walked(oddswire))).code).to.equal('cursor_not_advancing');
    proxy.failAll(null);
  });

  it('again after 408, 429, 500, 503, a cut connection, and a page of a gateway', async () => {
    const cut = (response: { destroy: () => unknown }) => void response.destroy();
    const faults = [
      status(408),
      status(429, { 'Retry-After': '0' }),
      status(500),
      status(503),
      cut,
      status(200),
    ];
    const before = proxy.requests.length;
    for (const fault of faults) {
      proxy.fail(fault);
      expect((await oddswire.page({ limit: 1 })).items).to.have.length(1);
    }
    expect(proxy.requests.length - before).to.equal(2 * faults.length);
  });

  it('and gives up after the retries that it was given', async () => {
    const once = new Oddswire({ url: proxy.url, key: key.key, retries: 1 });
    proxy.fail(status(503), status(503));
    const { code, status: answered, problem } = await failureOf(once.page());
    expect([code, answered, problem]).to.deep.equal(['http_503', 503, null]);
  });

  it('and does not wait for a Retry-After of a day', async () => {
    proxy.fail(status(429, { 'Retry-After': '86400' }, '{"code":"rate_limited","detail":"Tomorrow."}'));
    const { code, retryAfterSeconds, message } = await failureOf(oddswire.page());
    expect([code, retryAfterSeconds, message]).to.deep.equal([
      'rate_limited',
      86_400,
      'rate_limited: Tomorrow.',
    ]);
  });

  it('and does not repeat a request that is refused', async () => {
    const other = await aKey(client);
    await actOn(client, other.key_id, 'revoke', { cause: 'manual' });
    const before = proxy.requests.length;
    const revoked = await failureOf(new Oddswire({ url: proxy.url, key: other.key }).page());
    const invalid = await failureOf(oddswire.page({ limit: 501 }));
    proxy.fail(status(302, { Location: 'http://127.0.0.1:1/' }));
    const redirected = await failureOf(oddswire.page());
    expect([revoked.code, invalid.code, redirected.code]).to.deep.equal([
      'key_revoked',
      'invalid_parameter',
      'http_302',
    ]);
    expect(invalid.problem?.errors?.[0]?.parameter).to.equal('limit');
    expect(proxy.requests.length - before).to.equal(3);
  });

  it('after a connection that has died without a sign', async () => {
    const silent: SilentProxy = await startSilentProxy(service.instances[0]?.url ?? '');
    const patient = new Oddswire({ url: silent.url, key: key.key, timeoutMs: 500 });
    await patient.usage();
    silent.silence();
    expect((await patient.page({ limit: 1 })).items).to.have.length(1);
    await silent.stop();
  });

  it('until its signal is aborted, also in a wait', async () => {
    const abort = new AbortController();
    proxy.fail((response) => {
      status(503, { 'Retry-After': '60' })(response, response.req);
      setImmediate(() => abort.abort(new Error('enough')));
    });
    const reason = await oddswire.page({}, { signal: abort.signal }).catch((error: Error) => error.message);
    expect(reason).to.equal('enough');
    expect(await oddswire.usage({ signal: abort.signal }).catch(({ message }) => message)).to.equal('enough');
  });

  it('as they were at a time: a walk asks for the time once, and all its pages are of one state', async () => {
    const { feed, position } = await walked(oddswire);
    let knownAt = '';
    for await (const { known_at } of oddswire.history()) knownAt = known_at;
    await advance(client, 60);
    await publishAll(client, [publication({ id: 'later' })]);
    const before = proxy.requests.length;
    const walk = oddswire.walk({ as_of: new Date(Date.parse(knownAt) + 30_000), limit: 200 });
    const ids: string[] = [];
    for await (const { news_event } of walk) {
      if (ids.push(news_event.id) === 1) await client.retract('ne_0');
    }
    expect(ids).to.deep.equal([...feed.keys()]);
    expect(walk.position).to.equal(position);
    const [first, ...others] = proxy.requests.slice(before);
    expect(first).to.match(/as_of=\d{4}-/);
    expect(others).to.have.length(2);
    for (const request of others) expect(request).to.include(`as_of=${position}`);
    const page = await oddswire.page({ as_of: position, news_id: 'ne_0' });
    expect([page.as_of, page.items.length]).to.deep.equal([position, 1]);
    const now = await oddswire.page({ news_id: 'ne_0' });
    expect([now.as_of, now.items]).to.deep.equal([null, []]);
  });

  it('not as they are now in the place of the past: an older instance does not know `as_of`', async () => {
    const { position } = await oddswire.page({ limit: 1 });
    const headers = { 'Content-Type': 'application/json', 'Feed-Position': position };
    const ofOlder = status(200, headers, '{"items":[],"next_cursor":null}');
    proxy.fail(ofOlder);
    expect((await oddswire.page({ as_of: position, limit: 1 })).items).to.have.length(1);
    proxy.fail(ofOlder);
    const once = new Oddswire({ url: proxy.url, key: key.key, retries: 0 });
    expect((await failureOf(once.walk({ as_of: position }).toArray())).code).to.equal('unavailable');
  });

  it('with its plan and the state of the service, which needs no key', async () => {
    expect((await oddswire.usage()).plan).to.equal('pro');
    expect((await oddswire.status()).status).to.equal('up');
  });

  it('and shows its key in no text of it and of its errors', async () => {
    const value = key.key.slice(key.key.indexOf('_') + 1);
    proxy.fail(status(400, {}, JSON.stringify({ code: 'a', detail: key.key })), (response) =>
      response.destroy(),
    );
    const errors = [
      await failureOf(oddswire.page()),
      await failureOf(new Oddswire({ url: proxy.url, key: key.key, retries: 0 }).page()),
      await failureOf(new Oddswire({ url: 'http://127.0.0.1:1', key: key.key, retries: 0 }).page()),
    ];
    for (const thing of [oddswire, oddswire.walk(), oddswire.follow(), oddswire.history(), ...errors]) {
      const texts = [inspect(thing, { depth: null, showHidden: true }), JSON.stringify(thing), String(thing)];
      expect(texts.join('\n')).to.not.include(value);
    }
    for (const options of [
      { url: proxy.url, key: `${key.key}\n` },
      { url: `http://x:${key.key}@127.0.0.1`, key: 'a' },
      { url: `http://127.0.0.1/?api_key=${key.key}`, key: 'a' },
      { url: `not a URL ${key.key}`, key: 'a' },
      { url: proxy.url, key: undefined },
    ]) {
      const error: unknown = (() => {
        try {
          return new Oddswire(options);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).to.be.instanceOf(TypeError);
      expect(inspect(error, { depth: null, showHidden: true })).to.not.include(value);
    }
  });
});
