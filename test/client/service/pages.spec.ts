import type { FeedItem, Page } from '@oddswire/client';
import { expect } from 'chai';
import { ignoring, status } from '../../support/client/faulty-proxy.js';
import { ended, type Outcome } from '../../support/client/tested-client.js';
import { type Case, runCases, type Trial } from '../../support/client/trials.js';
import { publication } from '../../support/objects/builders.js';
import { startSilentProxy } from '../../support/servers/silent-proxy.js';
import { actOn, advance, aKey, publishAll } from '../../support/service/api-calls.js';

/** More than one page of a walk. */
const ITEMS = 505;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const pageOf = ({ value, failure }: Outcome): Page => {
  expect(failure).to.equal(null);
  return value as Page;
};
const idsOf = (items: unknown): readonly string[] =>
  (items as readonly FeedItem[]).map(({ news_event }) => news_event.id);

const cut = (response: { destroy: () => unknown }) => void response.destroy();

const CASES: readonly Case[] = [
  {
    name: 'one, with its position and the head of the feed',
    run: async ({ tested, at, client, key }) => {
      const page = pageOf(await tested.call({ ...at, retries: 0 }, 'page', { limit: 1, news_id: 'ne_3' }));
      const { headers } = await client.news(key.key, '?limit=1&news_id=ne_3');
      expect(idsOf(page.items)).to.deep.equal(['ne_3']);
      expect([page.next_cursor, page.position, page.head, page.as_of]).to.deep.equal([
        null,
        headers['feed-position'],
        headers['feed-head'],
        null,
      ]);
    },
  },
  {
    name: 'all, each item once, with the position of the first page',
    run: async ({ tested, at, direct }) => {
      const { value, position } = await tested.call(at, 'walk');
      const ids = idsOf(value);
      expect([ids.length, new Set(ids).size]).to.deep.equal([ITEMS, ITEMS]);
      expect(value).to.deep.equal(await direct.walk().toArray());
      expect(position).to.equal((await direct.page({ limit: 1 })).position);
    },
  },
  {
    name: 'in a walk whose position is known after its first page',
    run: async ({ tested, at, proxy }) => {
      const before = proxy.requests.length;
      const { value, position } = await tested.call(at, 'walk', { limit: 5 }, 1);
      expect(value).to.have.length(1);
      expect(position).to.match(/^[\w.~-]+$/);
      expect(proxy.requests.length - before).to.equal(1);
    },
  },
  {
    name: 'and ends a walk whose pages repeat',
    run: async ({ tested, at, proxy, direct }) => {
      const cursor = (await direct.page({ limit: 500 })).next_cursor ?? '';
      const page = JSON.stringify({ items: [], next_cursor: cursor });
      proxy.failAll(() => status(200, { 'Feed-Position': 'a', ...JSON_TYPE }, page));
      expect(ended(await tested.call(at, 'walk'))).to.equal('cursor_not_advancing');
    },
  },
  {
    name: 'and takes no page without a valid `next_cursor` for the last one (contract section 2.1)',
    run: async ({ tested, at, proxy }) => {
      const headers = { 'Feed-Position': 'a', ...JSON_TYPE };
      for (const page of [
        '{"items":[]}',
        '{"items":[],"next_cursor":1}',
        '{"items":{},"next_cursor":null}',
      ]) {
        proxy.failAll(() => status(200, headers, page));
        expect(ended(await tested.call({ ...at, retries: 0 }, 'walk'))).to.equal('invalid_response');
      }
      proxy.failAll(null);
      proxy.fail(status(200, headers, '{"items":[]}'));
      expect((await tested.call(at, 'walk')).value).to.have.length(ITEMS);
    },
  },
  {
    name: 'again after 408, 429, 500, 503, a cut connection, and a page of a gateway',
    run: async ({ tested, at, proxy }) => {
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
        expect(pageOf(await tested.call(at, 'page', { limit: 1 })).items).to.have.length(1);
      }
      expect(proxy.requests.length - before).to.equal(2 * faults.length);
    },
  },
  {
    name: 'and gives up after the retries that it was given',
    run: async ({ tested, at, proxy }) => {
      proxy.fail(status(503), status(503));
      const { failure } = await tested.call({ ...at, retries: 1 }, 'page');
      expect([failure?.code, failure?.status, failure?.problem]).to.deep.equal(['http_503', 503, null]);
    },
  },
  {
    name: 'and does not wait for a Retry-After of a day',
    run: async ({ tested, at, proxy }) => {
      proxy.fail(status(429, { 'Retry-After': '86400' }, '{"code":"rate_limited","detail":"Tomorrow."}'));
      const { failure } = await tested.call(at, 'page');
      expect([failure?.code, failure?.retryAfterSeconds, failure?.message]).to.deep.equal([
        'rate_limited',
        86_400,
        'rate_limited: Tomorrow.',
      ]);
    },
  },
  {
    name: 'and does not repeat a request that is refused, and follows no redirect',
    run: async ({ tested, at, client, proxy }) => {
      const other = await aKey(client);
      await actOn(client, other.key_id, 'revoke', { cause: 'manual' });
      const before = proxy.requests.length;
      const revoked = await tested.call({ ...at, key: other.key }, 'page');
      const invalid = await tested.call(at, 'page', { limit: 501 });
      proxy.fail(status(302, { Location: `${proxy.url}/elsewhere` }));
      const redirected = await tested.call(at, 'page');
      expect([revoked, invalid, redirected].map(ended)).to.deep.equal([
        'key_revoked',
        'invalid_parameter',
        'http_302',
      ]);
      expect(invalid.failure?.problem?.errors?.[0]?.parameter).to.equal('limit');
      expect(invalid.failure?.message).to.match(/ `limit` must be from 1 to 500\.$/);
      expect(proxy.requests.length - before).to.equal(3);
    },
  },
  {
    name: 'and refuses a parameter that a call does not have, which would select everything',
    run: async ({ tested, at, proxy }) => {
      const before = proxy.requests.length;
      const misspelt = { categories: 'a' };
      for (const method of ['page', 'walk', 'history', 'markets', 'walkMarkets'] as const) {
        const { failure } = await tested.call(at, method, misspelt);
        expect([failure?.code, failure?.message], method).to.deep.equal([
          'invalid_options',
          'invalid_options: `categories` is no parameter of this call.',
        ]);
      }
      const followed = await tested.follow(at, misspelt).ended;
      expect(followed?.code).to.equal('invalid_options');
      expect(proxy.requests.length).to.equal(before);
    },
  },
  {
    name: 'after a connection that has died without a sign',
    run: async ({ tested, url, key }) => {
      const silent = await startSilentProxy(url);
      const patient = { url: silent.url, key: key.key, timeoutSeconds: 0.5 };
      const reading = tested.call({ ...patient, retries: 20 }, 'usage');
      silent.silence();
      expect(ended(await reading)).to.equal('it did not fail');
      silent.silence();
      expect(pageOf(await tested.call(patient, 'page', { limit: 1 })).items).to.have.length(1);
      await silent.stop();
    },
  },
  {
    name: 'as they were at a time: a walk asks for the time once, and all its pages are of one state',
    run: asOf,
  },
  {
    name: 'not as they are now in the place of the past: an older instance does not know `as_of`',
    run: async ({ tested, at, proxy, direct }) => {
      const { position } = await direct.page({ limit: 1 });
      const older = status(
        200,
        { ...JSON_TYPE, 'Feed-Position': position },
        '{"items":[],"next_cursor":null}',
      );
      proxy.fail(older);
      expect(pageOf(await tested.call(at, 'page', { as_of: position, limit: 1 })).items).to.have.length(1);
      proxy.fail(older);
      expect(ended(await tested.call({ ...at, retries: 0 }, 'walk', { as_of: position }))).to.equal(
        'unavailable',
      );
    },
  },
  {
    name: 'with its plan, its settings, and the state of the service, which needs no key',
    run: async ({ tested, at }) => {
      expect((await tested.call(at, 'usage')).value).to.include({ plan: 'pro' });
      expect((await tested.call(at, 'key')).value).to.include({ status: 'active' });
      expect((await tested.call({ ...at, key: 'none' }, 'status')).value).to.include({ status: 'up' });
    },
  },
  {
    name: 'and shows its key in no error, also if the server repeats it',
    run: async ({ tested, at, proxy }) => {
      const { key } = at;
      proxy.fail(status(400, {}, JSON.stringify({ code: 'a', detail: key })), cut);
      const outcomes = [
        await tested.call(at, 'page'),
        await tested.call({ ...at, retries: 0 }, 'page'),
        await tested.call({ ...at, url: 'http://127.0.0.1:1', retries: 0 }, 'page'),
      ];
      expect(outcomes.map(ended)).to.deep.equal(['a', 'connection_failed', 'connection_failed']);
      expect(JSON.stringify(outcomes)).to.not.include(key.slice(key.indexOf('_') + 1));
    },
  },
];

async function asOf({ tested, at, url, client, direct, proxy }: Trial): Promise<void> {
  const feed = await direct.walk().toArray();
  const { position } = await direct.page({ limit: 1 });
  let knownAt = '';
  for await (const { known_at } of direct.history()) knownAt = known_at;
  await advance(client, 60);
  await publishAll(client, [publication({ id: 'later' })]);
  const before = proxy.requests.length;
  const time = new Date(Date.parse(knownAt) + 30_000).toISOString();
  const forward = ignoring(url, 'none');
  proxy.fail(forward, async (response, asked) => {
    await client.retract('ne_0');
    forward(response, asked);
  });
  const first = await tested.call(at, 'walk', { as_of: time, limit: 200 });
  expect(first.value).to.deep.equal(feed);
  expect(first.position).to.equal(position);
  const [request, ...others] = proxy.requests.slice(before);
  expect(request).to.match(/as_of=\d{4}-/);
  expect(others).to.have.length(2);
  for (const other of others) expect(other).to.include(`as_of=${position}`);
  const page = pageOf(await tested.call(at, 'page', { as_of: position, news_id: 'ne_0' }));
  expect([page.as_of, page.items.length]).to.deep.equal([position, 1]);
  const now = pageOf(await tested.call(at, 'page', { news_id: 'ne_0' }));
  expect([now.as_of, now.items]).to.deep.equal([null, []]);
}

runCases('The clients read pages', {
  prepare: async ({ client }) =>
    publishAll(
      client,
      Array.from({ length: ITEMS }, (_, n) => publication({ id: `ne_${n}` })),
    ),
  cases: CASES,
});
