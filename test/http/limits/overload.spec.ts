import { expect } from 'chai';
import type { ReadFeed } from '../../../src/application/feed/read-feed.js';
import { READ_FEED } from '../../../src/composition/parts.js';
import { ask, askNews, type Composed, composed, keyHolder, signal } from '../../support/service/composed.js';

describe('More requests than the service takes in hand', () => {
  let service: Composed;
  let key: string;
  let entered: ReturnType<typeof signal>;
  let release: ReturnType<typeof signal>;
  beforeEach(async () => {
    [entered, release] = [signal(), signal()];
    const readFeed: ReadFeed = async () => {
      entered.send();
      await release.sent;
      return { page: { items: [], nextCursor: null }, head: null, bytesOf: ({ json }) => json };
    };
    service = await composed({ REQUESTS_IN_HAND_MAX: '1' }, ({ part }) => part(READ_FEED, () => readFeed));
    key = (await keyHolder(service)).value;
  });
  afterEach(() => {
    release.send();
    return service.stop();
  });

  it('are answered 503 overloaded at once, with Retry-After and what every answer owes (D32, D33)', async () => {
    const held = askNews(service, key);
    await entered.sent;

    const answer = await askNews(service, key);

    expect([answer.status, answer.json().code]).to.deep.equal([503, 'overloaded']);
    expect(answer.headers).to.include({
      'retry-after': '1',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'ratelimit-policy': '"minute";q=3000;w=60, "day";q=1000000;w=86400',
    });
    expect(answer.headers).to.include.keys('x-request-id', 'x-ratelimit-remaining');
    release.send();
    expect((await held).status).to.equal(200);
  });

  it('cost nothing (D34)', async () => {
    const held = askNews(service, key);
    await entered.sent;
    await askNews(service, key);
    release.send();

    expect((await held).headers['x-ratelimit-remaining']).to.equal('2999');
    expect((await askNews(service, key)).headers['x-ratelimit-remaining']).to.equal('2998');
  });

  it('do not keep others from hearing that their key is unknown: only admitted requests count', async () => {
    const held = askNews(service, key);
    await entered.sent;
    expect((await askNews(service, 'svc_nobody')).status).to.equal(401);
    expect((await askNews(service, `svc_${'A'.repeat(43)}`)).status).to.equal(401);
    release.send();
    await held;
  });

  it('are served again once there is room, also after a fault (D32)', async () => {
    const held = askNews(service, key);
    await entered.sent;
    expect((await askNews(service, key)).status).to.equal(503);
    release.send();
    await held;

    expect((await ask(`${service.url}/nowhere`)).status).to.equal(404);
    expect((await askNews(service, key, {}, '?limit=0')).status).to.equal(400);
    expect((await askNews(service, key)).status).to.equal(200);
  });

  it('count on the public listener only: operators still get through', async () => {
    const held = askNews(service, key);
    await entered.sent;
    expect((await ask(`${service.internalUrl}/readyz`)).status).to.equal(200);
    release.send();
    await held;
  });
});
