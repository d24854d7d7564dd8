import { expect } from 'chai';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import type { LoggedRequest } from '../../../src/domain/limits/request-log.js';
import { HOUR, MILLISECOND, plus } from '../../../src/domain/moment.js';
import { accepted } from '../../support/objects/builders.js';
import {
  ask,
  bearer,
  type Composed,
  type Holder,
  requestNews,
  START,
} from '../../support/service/composed.js';
import { newsService } from '../../support/service/middleware.js';

/** An empty `api_key`: Koa answers, and the key in the header counts. */
const BY_KOA = '?api_key=';

describe('The request log of a key', () => {
  let service: Composed;
  let holder: Holder;
  const start = async (environment = {}) => {
    ({ service, holder } = await newsService(['ne_1'], environment));
  };
  afterEach(() => service.stop());

  /** The requests of the key, oldest first. A request is logged after its answer. */
  const loggedAfter = async (requests: number): Promise<readonly LoggedRequest[]> => {
    const ended = () => service.lines.filter(({ msg }) => msg === 'request');
    if (ended().length < requests) await service.line(() => ended().length >= requests);
    return (await service.parts.recentRequests.of([holder.key.id])).toReversed();
  };

  for (const [way, query] of [
    ['the listener', '?limit=1'],
    ['Koa', `${BY_KOA}&limit=1`],
  ] as const) {
    it(`has what ${way} has answered`, async () => {
      await start();
      const { headers } = await requestNews(service, holder.value, { 'X-Request-Id': 'my-request' }, query);
      const [logged] = await loggedAfter(1);
      expect(logged).to.deep.include({
        ...{ key: holder.key.id, method: 'GET', path: '/pm/v2/news', status: 200, code: null },
        ...{ query: query.slice(1).replace('api_key=', 'api_key=[redacted]'), requestId: 'my-request' },
        ...{ bytes: Number(headers['content-length']), network: '127.0.0.0/24' },
      });
      expect(logged?.durationMs).to.be.above(0);
      expect(logged?.at).to.equal(plus(START, -Math.round((logged?.durationMs ?? 0) * MILLISECOND)));
    });

    it(`has the code of a refusal by ${way}`, async () => {
      await start({ RATE_LIMIT_PRO_MINUTE: '1' });
      for (const each of [query, query.replace('1', '0'), query])
        await requestNews(service, holder.value, {}, each);
      const logged = await loggedAfter(3);
      expect(logged.map(({ status, code }) => [status, code])).to.have.deep.members([
        [200, null],
        [429, 'rate_limited'],
        [429, 'rate_limited'],
      ]);
      await service.parts.revokeKey(holder.key.id, 'manual', 'a test' as Reason, 'operator');
      await requestNews(service, holder.value, {}, query);
      expect((await loggedAfter(4)).map(({ code }) => code)).to.include('key_revoked');
    });
  }

  it('has every route that needs a key, also those that cost nothing', async () => {
    await start();
    const paths = [
      '/pm/v2/markets',
      '/pm/v2/history',
      '/pm/v2/usage',
      '/pm/v2/usage/history',
      '/pm/v2/changes?wait=0',
    ];
    for (const path of paths) await ask(`${service.url}${path}`, { headers: bearer(holder.value) });
    const logged = await loggedAfter(paths.length);
    expect(logged.map(({ path }) => path)).to.have.members(paths.map((path) => path.split('?')[0]));
  });

  it('has the code of a refusal by the routes that need a key', async () => {
    await start();
    await service.parts.revokeKey(holder.key.id, 'manual', 'a test' as Reason, 'operator');
    for (const path of ['markets', 'usage', 'stream'])
      await ask(`${service.url}/pm/v2/${path}`, { headers: bearer(holder.value) });
    expect((await loggedAfter(3)).map(({ code }) => code)).to.deep.equal(Array(3).fill('key_revoked'));
  });

  it('has the parameter that was wrong', async () => {
    await start();
    await requestNews(service, holder.value, {}, '?limit=0');
    expect((await loggedAfter(1))[0]).to.include({
      status: 400,
      code: 'invalid_parameter',
      query: 'limit=0',
    });
  });

  it('has no request without a known key, and none for a page', async () => {
    await start();
    await requestNews(service, `svc_${'A'.repeat(43)}`);
    await ask(`${service.url}/docs`);
    expect(await loggedAfter(2)).to.deep.equal([]);
  });

  for (const [way, query] of [
    ['the listener', ''],
    ['Koa', BY_KOA],
  ] as const) {
    it(`is noted with the quota of the day, which causes a mail (D73), by ${way}`, async () => {
      await start({ RATE_LIMIT_PRO_DAY: '5' });
      const mails = async () => {
        await service.parts.quotaMails.queue();
        const queued = await service.parts.outbox.claim(plus(START, HOUR), 100);
        for (const { id } of queued) await service.parts.outbox.close(id, 'sent');
        return queued.flatMap(({ notice: { news } }) => (news.kind === 'quota_used' ? [news.level] : []));
      };
      const levels: (readonly number[])[] = [];
      for (let n = 1; n <= 6; n += 1) {
        await requestNews(service, holder.value, {}, query);
        await loggedAfter(n);
        levels.push(await mails());
      }
      expect(levels).to.deep.equal([[], [], [], [80], [100], []]);
    });
  }

  it('never has a key', async () => {
    await start();
    const second = accepted(await service.parts.issueKey(holder.account, null, 'test'));
    const paths = [
      `/pm/v2/news?api_key=${holder.value}`,
      `/pm/v2/news?q=${second.value}`,
      `/pm/v2/news?API_KEY=${second.value}&limit=1`,
      `/pm/v2/news/${second.value}`,
    ];
    for (const path of paths)
      await ask(`${service.url}${path}`, {
        headers: { ...bearer(holder.value), 'X-Request-Id': second.value },
      });
    const logged = JSON.stringify(await loggedAfter(paths.length));
    expect(logged).to.include('[redacted]');
    for (const { value } of [holder, second]) expect(logged).not.to.include(value.slice(4, 30));
  });
});
