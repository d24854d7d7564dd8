import { expect } from 'chai';
import { type Composed, composed, keyHolder } from '../../support/service/composed.js';
import { type RawSocket, rawSocket } from './raw-socket.js';

const HEAD: Readonly<Record<string, string>> = {
  webhook: 'POST /webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n',
  dashboard:
    'POST /dashboard/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n',
  operator:
    'POST /operator/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n',
};
const GET = (path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${key === undefined ? '' : `X-API-Key: ${key}\r\n`}\r\n`;

/** One request of each class may be in progress. */
const ONE = { REQUESTS_IN_HAND_MAX: '1', STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' };

describe('A request whose body has not arrived', () => {
  let service: Composed;
  let callers: RawSocket[];
  beforeEach(() => {
    callers = [];
  });
  afterEach(() => {
    for (const { socket } of callers) socket.destroy();
    return service.stop();
  });

  const caller = async () => {
    const opened = await rawSocket(service.port);
    callers.push(opened);
    return opened;
  };
  /** Sends `count` heads, each on its own connection; the response to a later request shows that they were read. */
  const unfinished = async (kind: string, count: number) => {
    const opened = [];
    for (let i = 0; i < count; i += 1) {
      const one = await caller();
      one.send(HEAD[kind] ?? '');
      opened.push(one);
    }
    const last = await caller();
    last.send(GET('/nowhere'));
    await last.until('404');
    return opened;
  };
  const statusOf = async (text: string) => {
    const one = await caller();
    one.send(text);
    await one.until('\r\n\r\n');
    return Number(one.received().slice(9, 12));
  };

  for (const kind of Object.keys(HEAD)) {
    it(`does not count as work: after three for the ${kind}, every class of requests is still served`, async () => {
      service = await composed(ONE);
      const { value } = await keyHolder(service);
      await unfinished(kind, 3);
      expect(await statusOf(GET('/pm/v2/news', value)), 'a page').to.equal(200);
      expect(await statusOf(GET('/status')), 'status').to.equal(200);
      expect(await statusOf(GET('/dashboard/sign-in')), 'the dashboard').to.equal(200);
      expect(await statusOf(GET('/operator/sign-in')), 'the console').to.equal(200);
    });
  }

  it('gets 408 after BODY_TIMEOUT_MS, and its connection is closed', async () => {
    service = await composed({ ...ONE, BODY_TIMEOUT_MS: '100' });
    const [webhook] = await unfinished('webhook', 1);
    const answer = (await webhook?.all()) ?? '';
    expect(answer).to.match(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer)
      .to.include('Connection: close\r\n')
      .and.to.include('"code":"bad_request"')
      .and.to.include('Retry-After: 1\r\n');
  });

  it('loses its connection if the body comes in many chunks of one byte, which cost as much as large ones', async () => {
    service = await composed(ONE);
    const one = await caller();
    one.send('POST /webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    one.send('1\r\nx\r\n'.repeat(300));
    expect(await one.all()).to.equal('');
  });

  it('is still received in a few hundred small chunks', async () => {
    service = await composed(ONE);
    const one = await caller();
    one.send('POST /webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    one.send(`${'1\r\nx\r\n'.repeat(200)}0\r\n\r\n`);
    await one.until('invalid_signature');
  });

  it('loses its connection to a newer request of its subnet beyond the limit, and the newest is served', async () => {
    service = await composed(ONE);
    const opened = await unfinished('webhook', 65);
    await opened[0]?.all();
    expect(opened.slice(1).map(({ socket }) => socket.destroyed)).not.to.include(true);
    opened.at(-1)?.send('x'.repeat(100));
    await opened.at(-1)?.until('invalid_signature');
  });
});
