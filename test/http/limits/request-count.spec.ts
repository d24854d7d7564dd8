import { expect } from 'chai';
import type { Replacement } from '../../../src/composition/compose.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { applyOperatorEvent } from '../../../src/domain/keys/account-keys.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import { FIRST_MOMENT, HOUR, plus, startOfHour } from '../../../src/domain/moment.js';
import { accepted, auditContext } from '../../support/objects/builders.js';
import {
  ask,
  bearer,
  type Composed,
  type Holder,
  requestNews,
  rewrite,
  START,
} from '../../support/service/composed.js';
import { blockedFeed, failingFeed, newsService } from '../../support/service/middleware.js';
import { rawSocket } from '../listener/raw-socket.js';

/** An empty `api_key`: Koa answers, and the key in the header counts. */
const BY_KOA = '?api_key=';

describe('The usage of a key', () => {
  let service: Composed;
  let holder: Holder;
  /** Requests that went through Koa. */
  let byKoa: { requests: number };
  const start = async (environment = {}, ...replacements: readonly Replacement[]) => {
    ({ service, holder, byKoa } = await newsService(['ne_1'], environment, ...replacements));
  };
  afterEach(() => service.stop());

  /** The counts so far, by status class. A request has ended when its log line is written. */
  const countsAfter = async (requests: number, key: KeyId = holder.key.id, since = FIRST_MOMENT) => {
    const ended = () => service.lines.filter(({ msg }) => msg === 'request');
    if (ended().length < requests) await service.line(() => ended().length >= requests);
    const counts = await service.parts.usage.of([key], since);
    return Object.fromEntries(counts.map(({ statusClass, requests: n }) => [statusClass, n]));
  };

  it('counts each request once, answered by the listener or by Koa', async () => {
    await start();
    await requestNews(service, holder.value);
    expect([await countsAfter(1), byKoa.requests]).to.deep.equal([{ '2xx': 1 }, 0]);
    await requestNews(service, holder.value);
    expect([await countsAfter(2), byKoa.requests]).to.deep.equal([{ '2xx': 2 }, 0]);
    // This response waits for compression.
    await requestNews(service, holder.value, { 'Accept-Encoding': 'gzip' });
    expect([await countsAfter(3), byKoa.requests]).to.deep.equal([{ '2xx': 3 }, 0]);
    await ask(`${service.url}/pm/v2/news`, { method: 'HEAD', headers: bearer(holder.value) });
    expect([await countsAfter(4), byKoa.requests]).to.deep.equal([{ '2xx': 4 }, 1]);
  });

  it('includes requests that get 304, from the listener and from Koa', async () => {
    await start();
    const { headers } = await requestNews(service, holder.value);
    const known = { 'If-None-Match': `${headers.etag}` };
    for (const query of ['', BY_KOA]) {
      expect((await requestNews(service, holder.value, known, query)).status).to.equal(304);
    }
    expect([await countsAfter(3), byKoa.requests]).to.deep.equal([{ '2xx': 1, '3xx': 2 }, 1]);
  });

  it('includes requests with invalid parameters', async () => {
    await start();
    expect((await requestNews(service, holder.value, {}, '?limit=0')).status).to.equal(400);
    expect(await countsAfter(1)).to.deep.equal({ '4xx': 1 });
  });

  describe('includes refused requests with the key, by the listener and by Koa:', () => {
    const refusals: readonly (readonly [status: number, refuse: () => Promise<unknown>])[] = [
      [
        401,
        async () =>
          accepted(await service.parts.revokeKey(holder.key.id, 'manual', 'a test' as Reason, 'operator')),
      ],
      [
        402,
        async () =>
          accepted(
            await service.parts.accounts.change(holder.account, (account) =>
              applyOperatorEvent(account, holder.key.id, 'held', auditContext(START)),
            ),
          ),
      ],
      [
        403,
        () =>
          rewrite(service, holder.account, (account) => ({
            ...account,
            keys: account.keys.map((key) => ({ ...key, scopes: [] })),
          })),
      ],
    ];
    for (const [status, refuse] of refusals) {
      it(`${status}`, async () => {
        await start();
        await requestNews(service, holder.value);
        await refuse();
        for (const query of ['', BY_KOA]) {
          expect((await requestNews(service, holder.value, {}, query)).status).to.equal(status);
        }
        expect([await countsAfter(3), byKoa.requests]).to.deep.equal([{ '2xx': 1, '4xx': 2 }, 1]);
        const keys = service.lines.filter(({ msg }) => msg === 'request').map((line) => line['key_id']);
        expect(keys).to.deep.equal(Array(3).fill(holder.key.id));
      });
    }

    it('429', async () => {
      await start({ RATE_LIMIT_PRO_MINUTE: '2' });
      for (const [query, status] of [
        ['', 200],
        ['', 200],
        ['', 429],
        [BY_KOA, 429],
      ] as const) {
        expect((await requestNews(service, holder.value, {}, query)).status).to.equal(status);
      }
      expect(await countsAfter(4)).to.deep.equal({ '2xx': 2, '4xx': 2 });
    });
  });

  it('counts a request that fails with 5xx once', async () => {
    const feed = failingFeed();
    await start({}, feed.replace);
    await requestNews(service, holder.value);
    feed.isAway = true;
    for (const query of ['', BY_KOA]) {
      expect((await requestNews(service, holder.value, {}, query)).status).to.equal(503);
    }
    expect(await countsAfter(3)).to.deep.equal({ '2xx': 1, '5xx': 2 });
  });

  it('is separate for each key of a subscription', async () => {
    await start();
    const second = accepted(await service.parts.issueKey(holder.account, null, 'test'));
    for (const { value } of [holder, second, second]) await requestNews(service, value);
    expect(await countsAfter(3)).to.deep.equal({ '2xx': 1 });
    expect(await countsAfter(3, second.key.id)).to.deep.equal({ '2xx': 2 });
  });

  it('is counted in the hour of the service’s clock', async () => {
    await start();
    await requestNews(service, holder.value);
    service.clock.at = plus(START, HOUR);
    for (const _ of [1, 2]) await requestNews(service, holder.value);
    expect(await countsAfter(3)).to.deep.equal({ '2xx': 2 });
    const counts = await service.parts.usage.of([holder.key.id], FIRST_MOMENT);
    expect(counts.map(({ hour, requests }) => [hour, requests])).to.have.deep.members([
      [startOfHour(START), 1],
      [plus(startOfHour(START), HOUR), 2],
    ]);
  });

  for (const [way, query] of [
    ['the listener', ''],
    ['Koa', BY_KOA],
  ] as const) {
    it(`is counted in the hour in which the request took its permit, by ${way}`, async () => {
      const feed = blockedFeed();
      await start({}, feed.replace);
      feed.isHeld = true;
      const answer = requestNews(service, holder.value, {}, query);
      await feed.entered;
      service.clock.at = plus(START, HOUR);
      feed.release();
      expect((await answer).status).to.equal(200);
      expect(await countsAfter(1)).to.deep.equal({ '2xx': 1 });
      const [counted] = await service.parts.usage.of([holder.key.id], FIRST_MOMENT);
      expect([counted?.hour, byKoa.requests]).to.deep.equal([startOfHour(START), query === '' ? 0 : 1]);
    });
  }

  it('excludes requests for usage, with unknown keys and with OPTIONS', async () => {
    await start();
    const usage = `${service.url}/pm/v2/usage`;
    expect((await ask(usage, { headers: bearer(holder.value) })).status).to.equal(200);
    expect((await requestNews(service, `svc_${'A'.repeat(43)}`)).status).to.equal(401);
    expect((await ask(`${service.url}/pm/v2/news`, { method: 'OPTIONS' })).status).to.equal(204);
    expect(await countsAfter(3)).to.deep.equal({});
  });

  it('excludes pipelined requests whose client disconnects while they wait', async () => {
    const feed = blockedFeed();
    await start({}, feed.replace);
    await requestNews(service, holder.value);
    feed.isHeld = true;
    const caller = await rawSocket(service.port);
    caller.send(`GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nX-API-Key: ${holder.value}\r\n\r\n`.repeat(3));
    await feed.entered;
    caller.socket.destroy();
    await service.line(() => service.lines.filter(({ aborted }) => aborted === true).length === 3);
    feed.release();
    await service.stop();
    expect(await countsAfter(4)).to.deep.equal({ '2xx': 1 });
  });

  for (const [way, query] of [
    ['the listener', ''],
    ['Koa', BY_KOA],
  ] as const) {
    it(`excludes requests whose client disconnects before the response of ${way}`, async () => {
      const feed = blockedFeed();
      await start({}, feed.replace);
      await requestNews(service, holder.value);
      byKoa.requests = 0;
      feed.isHeld = true;
      const caller = await rawSocket(service.port);
      caller.send(`GET /pm/v2/news${query} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${holder.value}\r\n\r\n`);
      await feed.entered;
      caller.socket.destroy();
      await service.line(({ aborted }) => aborted === true);
      feed.release();
      await service.stop();
      expect([await countsAfter(2), byKoa.requests]).to.deep.equal([{ '2xx': 1 }, query === '' ? 0 : 1]);
    });
  }
});
