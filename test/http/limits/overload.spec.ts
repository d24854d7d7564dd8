import { expect } from 'chai';
import { ask, askNews, type Composed, composed, keyHolder } from '../../support/service/composed.js';
import { heldFeed } from '../../support/service/middleware.js';

describe('More requests than the service takes in hand', () => {
  let service: Composed;
  let key: string;
  let feed: ReturnType<typeof heldFeed>;
  beforeEach(async () => {
    feed = heldFeed(true);
    service = await composed({ REQUESTS_IN_HAND_MAX: '1' }, feed.replace);
    key = (await keyHolder(service)).value;
  });
  afterEach(() => {
    feed.release();
    return service.stop();
  });

  it('are answered 503 overloaded at once, with Retry-After and what every answer owes (D32, D33)', async () => {
    const held = askNews(service, key);
    await feed.entered;

    const answer = await askNews(service, key);

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

  it('cost nothing (D34)', async () => {
    const held = askNews(service, key);
    await feed.entered;
    await askNews(service, key);
    feed.release();

    expect((await held).headers['x-ratelimit-remaining']).to.equal('2999');
    expect((await askNews(service, key)).headers['x-ratelimit-remaining']).to.equal('2998');
  });

  it('do not keep others from hearing that their key is unknown: only admitted requests count', async () => {
    const held = askNews(service, key);
    await feed.entered;
    expect((await askNews(service, 'svc_nobody')).status).to.equal(401);
    expect((await askNews(service, `svc_${'A'.repeat(43)}`)).status).to.equal(401);
    feed.release();
    await held;
  });

  it('are served again once there is room, also after a fault (D32)', async () => {
    const held = askNews(service, key);
    await feed.entered;
    expect((await askNews(service, key)).status).to.equal(503);
    feed.release();
    await held;

    expect((await ask(`${service.url}/nowhere`)).status).to.equal(404);
    expect((await askNews(service, key, {}, '?limit=0')).status).to.equal(400);
    expect((await askNews(service, key)).status).to.equal(200);
  });

  it('count on the public listener only: operators still get through', async () => {
    const held = askNews(service, key);
    await feed.entered;
    expect((await ask(`${service.internalUrl}/readyz`)).status).to.equal(200);
    feed.release();
    await held;
  });
});
