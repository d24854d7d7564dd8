import { expect } from 'chai';
import { ask, type Composed, composed, keyHolder, requestNews } from '../../support/service/composed.js';
import { blockedFeed } from '../../support/service/middleware.js';

describe('Requests beyond REQUESTS_IN_HAND_MAX', () => {
  let service: Composed;
  let key: string;
  let feed: ReturnType<typeof blockedFeed>;
  beforeEach(async () => {
    feed = blockedFeed(true);
    service = await composed({ REQUESTS_IN_HAND_MAX: '1' }, feed.replace);
    key = (await keyHolder(service)).value;
  });
  afterEach(() => {
    feed.release();
    return service.stop();
  });

  it('get 503 overloaded immediately, with Retry-After and all common headers (D32, D33)', async () => {
    const held = requestNews(service, key);
    await feed.entered;

    const answer = await requestNews(service, key);

    expect([answer.status, answer.json().code]).to.deep.equal([503, 'overloaded']);
    expect(answer.headers).to.include({
      'retry-after': '1',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'ratelimit-policy': '"minute";q=3000;w=60, "day";q=1000000;w=86400',
    });
    expect(answer.headers).to.include.keys('x-request-id', 'x-ratelimit-remaining');
    feed.release();
    expect((await held).status).to.equal(200);
  });

  it('cost no quota (D34)', async () => {
    const held = requestNews(service, key);
    await feed.entered;
    await requestNews(service, key);
    feed.release();

    expect((await held).headers['x-ratelimit-remaining']).to.equal('2999');
    expect((await requestNews(service, key)).headers['x-ratelimit-remaining']).to.equal('2998');
  });

  it('do not affect requests with unknown keys, which still get 401: only admitted requests count', async () => {
    const held = requestNews(service, key);
    await feed.entered;
    expect((await requestNews(service, 'svc_nobody')).status).to.equal(401);
    expect((await requestNews(service, `svc_${'A'.repeat(43)}`)).status).to.equal(401);
    feed.release();
    await held;
  });

  it('are served again once an earlier request has ended, even with an error (D32)', async () => {
    const held = requestNews(service, key);
    await feed.entered;
    expect((await requestNews(service, key)).status).to.equal(503);
    feed.release();
    await held;

    expect((await ask(`${service.url}/nowhere`)).status).to.equal(404);
    expect((await requestNews(service, key, {}, '?limit=0')).status).to.equal(400);
    expect((await requestNews(service, key)).status).to.equal(200);
  });

  it('are only refused on the public listener: operators are still served', async () => {
    const held = requestNews(service, key);
    await feed.entered;
    expect((await ask(`${service.internalUrl}/readyz`)).status).to.equal(200);
    feed.release();
    await held;
  });
});
