import { expect } from 'chai';
import type { Replacement } from '../../../src/composition/compose.js';
import {
  type Answer,
  type Composed,
  type Holder,
  type LogLine,
  requestNews,
} from '../../support/service/composed.js';
import { blockedFeed, failingFeed, newsService } from '../../support/service/middleware.js';
import { rawSocket } from '../listener/raw-socket.js';

const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);
const isRequest = ({ msg }: LogLine) => msg === 'request';

describe('The listener under limits and faults', () => {
  let service: Composed;
  let holder: Holder;
  /** Requests that went through Koa. */
  let byKoa: { requests: number };
  const start = async (environment = {}, ...replacements: readonly Replacement[]) => {
    ({ service, holder, byKoa } = await newsService(['ne_1', 'ne_2', 'ne_3'], environment, ...replacements));
  };
  afterEach(() => service.stop());

  /** Requests the page once, so that it is in the cache. */
  const warm = async (headers: Readonly<Record<string, string>> = {}, query = '') => {
    await requestNews(service, holder.value, headers, query);
    byKoa.requests = 0;
  };

  /** A service whose next read of the feed waits until it is released. */
  const startWaiting = async (environment = {}) => {
    const feed = blockedFeed();
    await start(environment, feed.replace);
    await warm();
    feed.isHeld = true;
    return feed;
  };

  it('refuses exactly the requests beyond the limit (D34)', async () => {
    await start({ RATE_LIMIT_PRO_MINUTE: '3' });
    const statuses = async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => requestNews(service, holder.value)));
      return answers.map(({ status }) => status).sort();
    };
    expect(await statuses()).to.deep.equal([200, 200, 200, 429, 429, 429, 429, 429]);
    const refused = await requestNews(service, holder.value);
    expect(refused.json()).to.deep.include({ code: 'rate_limited', violated_policies: ['minute'] });
    expect(refused.headers['retry-after']).to.equal('50');
  });

  it('charges a 304 for a page that it has to make, and gives back one quota of permits at most (D34)', async () => {
    await start({ RATE_LIMIT_PRO_MINUTE: '3' });
    const answers = [];
    for (let i = 0; i < 7; i += 1)
      answers.push(await requestNews(service, holder.value, { 'If-None-Match': '*' }));
    expect(answers.map(({ status }) => status)).to.deep.equal([304, 304, 304, 304, 304, 304, 429]);
    expect(answers.slice(0, 6).map(remaining)).to.deep.equal([2, 2, 2, 2, 1, 0]);
  });

  it('answers a fault with 503, and refunds the permit once (D34)', async () => {
    const feed = failingFeed();
    await start({}, feed.replace);
    await warm();
    feed.isAway = true;
    const answer = await requestNews(service, holder.value);
    expect([answer.status, answer.json().code, remaining(answer)]).to.deep.equal([503, 'unavailable', 2999]);
    expect(byKoa.requests).to.equal(0);
    feed.isAway = false;
    expect(remaining(await requestNews(service, holder.value))).to.equal(2998);
  });

  for (const encoding of ['identity', 'gzip'])
    it(`writes one log line for a client that disconnects while its page is read, ${encoding}`, async () => {
      const feed = await startWaiting();
      const caller = await rawSocket(service.port);
      const headers = `Host: a\r\nX-API-Key: ${holder.value}\r\nAccept-Encoding: ${encoding}`;
      caller.send(`GET /pm/v2/news HTTP/1.1\r\n${headers}\r\n\r\n`);
      await feed.entered;
      caller.socket.destroy();
      await service.line(({ aborted }) => aborted === true);
      feed.release();
      await service.stop();
      expect(service.lines.filter(isRequest).map(({ aborted }) => aborted)).to.deep.equal([false, true]);
      expect(byKoa.requests).to.equal(0);
    });

  it('frees the room of a request in progress once it is answered', async () => {
    await start({ REQUESTS_IN_HAND_MAX: '1' });
    await warm();
    for (let i = 0; i < 3; i += 1) expect((await requestNews(service, holder.value)).status).to.equal(200);
    expect(byKoa.requests).to.equal(0);
  });

  it('closes its connections during shutdown (T8)', async () => {
    const feed = await startWaiting({ DRAIN_DELAY_MS: '500' });
    const held = requestNews(service, holder.value, { Connection: 'keep-alive' });
    await feed.entered;
    const stopped = service.stop();
    await service.line(({ msg }) => msg === 'draining');
    await feed.release();
    expect((await held).headers.connection).to.equal('close');
    await stopped;
    expect(byKoa.requests).to.equal(0);
  });
});
