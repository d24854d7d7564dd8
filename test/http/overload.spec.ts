import { expect } from 'chai';
import type { ReadFeed } from '../../src/application/read-feed.js';
import { READ_FEED } from '../../src/parts.js';
import { ask, askNews, type Composed, composed, keyHolder, signal } from '../support/composed.js';
import { rawSocket } from './raw-socket.js';

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
      'ratelimit-policy': '"anonymous";q=30;w=60',
    });
    expect(answer.headers).to.include.keys('x-request-id', 'x-ratelimit-remaining');
    release.send();
    expect((await held).status).to.equal(200);
  });

  it('take no place, and nothing of the guard of their address (D34)', async () => {
    const held = askNews(service, key);
    await entered.sent;
    await askNews(service, key);
    const refused = await askNews(service, 'svc_nobody');
    release.send();

    expect(refused.headers['x-ratelimit-remaining']).to.equal('30');
    expect((await held).headers['x-ratelimit-remaining']).to.equal('2999');
    expect((await askNews(service, key)).headers['x-ratelimit-remaining']).to.equal('2998');
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

  it('do not come to that by pages, however many forms come in half (T9)', async () => {
    const forms = await Promise.all([1, 2].map(() => rawSocket(service.port)));
    for (const form of forms) {
      form.send('POST /dashboard/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n');
      form.send('Content-Type: application/x-www-form-urlencoded\r\n\r\ne');
    }
    // One of the two is in hand, and the other one is told so.
    await Promise.race(forms.map((form) => form.until('overloaded')));
    release.send();
    expect((await askNews(service, key)).status).to.equal(200);
    for (const form of forms) form.socket.destroy();
  });

  it('count on the public listener only: operators still get through', async () => {
    const held = askNews(service, key);
    await entered.sent;
    expect((await ask(`${service.internalUrl}/readyz`)).status).to.equal(200);
    release.send();
    await held;
  });
});
