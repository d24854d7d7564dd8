import { Oddswire, type OddswireError } from '@oddswire/client';
import { expect } from 'chai';
import { type FaultyProxy, startFaultyProxy, status } from '../../support/client/faulty-proxy.js';
import { reservedPort } from '../../support/servers/reserved-port.js';
import { aKey, type KeyView } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

type Reported = readonly [code: string, waitMs: number, message: string, cause: unknown];

const failureOf = (work: Promise<unknown>): Promise<OddswireError> =>
  work.then(
    () => expect.fail('it did not fail'),
    (thrown: OddswireError) => thrown,
  );

describe('The client reports what it waits for', () => {
  let service: Service;
  let key: KeyView;
  let proxy: FaultyProxy;
  let reported: Reported[];
  before(async () => {
    service = await startService();
    key = await aKey(await Client.of(service));
    proxy = await startFaultyProxy(service.instances[0]?.url ?? '');
  });
  beforeEach(() => {
    reported = [];
  });
  after(() => Promise.all([proxy.stop(), service.stop()]));

  const clientOf = (url: string, more: object = {}) =>
    new Oddswire({
      url,
      key: key.key,
      onRetry: ({ code, message, cause }, waitMs) => void reported.push([code, waitMs, message, cause]),
      ...more,
    });

  it('a follower on a wrong port, with the address and the cause, until it is stopped', async () => {
    const url = `http://127.0.0.1:${await reservedPort()}`;
    const stop = new AbortController();
    const oddswire = clientOf(url, {
      onRetry: ({ code, message, cause }: OddswireError, waitMs: number) => {
        reported.push([code, waitMs, message, cause]);
        if (reported.length === 2) stop.abort(new Error('seen'));
      },
    });
    const error = await failureOf(oddswire.follow({ signal: stop.signal }).next());
    expect(error.message).to.equal('seen');
    for (const [code, waitMs, message, cause] of reported) {
      expect(code).to.equal('connection_failed');
      expect(waitMs).to.be.above(0);
      expect(message).to.include(url).and.include('ECONNREFUSED').and.not.include(key.key);
      expect(cause).to.be.instanceOf(Error).with.property('code', 'ECONNREFUSED');
    }
  });

  it('a page whose last failure is thrown with the address and the cause', async () => {
    const url = `http://127.0.0.1:${await reservedPort()}`;
    const error = await failureOf(clientOf(url, { retries: 1 }).page());
    expect(error.message).to.include(url).and.include('ECONNREFUSED');
    expect(error.cause).to.be.instanceOf(Error).with.property('code', 'ECONNREFUSED');
    expect(reported).to.have.length(1);
  });

  it('a refusal that ends, and a history', async () => {
    proxy.fail(status(503, { 'Retry-After': '0' }));
    await clientOf(proxy.url).page({ limit: 1 });
    proxy.fail(status(503, { 'Retry-After': '0' }));
    for await (const _ of clientOf(proxy.url).history());
    expect(reported.map(([code]) => code)).to.deep.equal(['http_503', 'http_503']);
  });

  it('a stream that ended, and nothing while all is well', async () => {
    const followed = clientOf(proxy.url).follow();
    expect((await followed.next()).value).to.have.property('type', 'ready');
    expect(reported).to.deep.equal([]);
    await followed.return();
    proxy.fail((response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end());
    const again = clientOf(proxy.url).follow();
    expect((await again.next()).value).to.have.property('type', 'ready');
    await again.return();
    expect(reported.map(([code, , message]) => [code, message.includes('the stream ended')])).to.deep.equal([
      ['connection_failed', true],
    ]);
  });
});
