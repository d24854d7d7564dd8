import { once } from 'node:events';
import { connect } from 'node:net';
import { Connections } from '../../../src/adapters/http/listener/connections.js';
import { type Composed, composed, keyHolder, signal } from '../../support/service/composed.js';
import { type RawSocket, rawSocket } from './raw-socket.js';
import { testListener } from './test-listener.js';

const request = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

describe('Connections of one address without a valid key', () => {
  let service: Composed;
  let opened: RawSocket[];
  afterEach(() => {
    for (const { socket } of opened) socket.destroy();
    return (service as Composed | undefined)?.stop();
  });

  const start = async (environment: Readonly<Record<string, string>>) => {
    opened = [];
    service = await composed(environment);
  };
  const connected = async () => {
    const one = await rawSocket(service.port);
    opened.push(one);
    return one;
  };
  /** Waits for a response: then the service has accepted all earlier connections. */
  const answered = async (one: RawSocket, headers = '', path = '/nowhere') => {
    const before = one.received().length;
    one.send(request(path, headers));
    await one.until('\r\n\r\n', before);
  };

  it('are limited to CONNECTIONS_PER_ADDRESS: one more closes the one longest without a complete request', async () => {
    await start({ CONNECTIONS_PER_ADDRESS: '3' });
    const [silent, early, late] = [await connected(), await connected(), await connected()];
    await answered(early);
    await answered(late);
    await answered(silent);
    const newest = await connected();
    await answered(newest);

    await early.all();
    await Promise.all([silent, late, newest].map((one) => answered(one)));
  });

  it('are closed even after half a header, which is not a complete request', async () => {
    await start({ CONNECTIONS_PER_ADDRESS: '2' });
    const dripping = await connected();
    const other = await connected();
    await answered(other);
    dripping.send('GET / HTTP/1.1\r\nHos');
    await answered(await connected());
    await dripping.all();
    await answered(other);
  });

  it('do not count while their requests wait for the answer: all are answered, then the earliest are closed', async () => {
    opened = [];
    const [arrived, answer] = [signal(), signal()];
    let requests = 0;
    const listener = await testListener(
      async (request, response) => {
        request.resume();
        requests += 1;
        if (requests === 5) arrived.send();
        await answer.sent;
        response.end(request.url);
      },
      { connections: new Connections(2) },
    );
    const asking: RawSocket[] = [];
    for (const path of ['/1', '/2', '/3', '/4', '/5']) {
      const one = await rawSocket(listener.port);
      asking.push(one);
      one.send(request(path));
    }
    await arrived.sent;
    answer.send();
    const texts = asking.map((one, i) => one.until(`/${i + 1}`));
    await Promise.all(texts);
    await Promise.all(asking.slice(0, 3).map((one) => one.all()));
    asking[3]?.send(request('/again'));
    await asking[3]?.until('/again');
    for (const { socket } of asking) socket.destroy();
    await listener.stop();
  });

  it('are closed one by one while the process has few free files, unless their requests wait for the answer', async () => {
    opened = [];
    const [arrived, answer] = [signal(), signal()];
    const listener = await testListener(
      async (request, response) => {
        if (request.url === '/wait') {
          arrived.send();
          await answer.sent;
        }
        response.end(request.url);
      },
      // Each number of a file is above this limit.
      { connections: new Connections(100, 1) },
    );
    const asking = await rawSocket(listener.port);
    asking.send(request('/wait'));
    await arrived.sent;
    const idle = await rawSocket(listener.port);
    idle.send(request('/idle'));
    await idle.until('/idle');
    const newest = await rawSocket(listener.port);
    await idle.all();
    newest.send(request('/newest'));
    await newest.until('/newest');
    answer.send();
    await asking.until('/wait');
    for (const { socket } of [asking, newest]) socket.destroy();
    await listener.stop();
  });

  it('are not closed if a request has arrived that this process has not read yet', async () => {
    await start({ CONNECTIONS_PER_ADDRESS: '1' });
    const asking = await connected();
    await answered(asking);
    const before = asking.received().length;
    const next = connect({ port: service.port, host: '127.0.0.1' });
    // After the connection, whose socket is then read first. This process is busy while both arrive.
    process.nextTick(() => {
      asking.send(request('/nowhere'));
      for (const until = performance.now() + 50; performance.now() < until; );
    });
    await once(next, 'connect');
    await asking.until('\r\n\r\n', before);
    next.destroy();
  });

  it('no longer count after a valid key, seen by the listener or by Koa', async () => {
    await start({ CONNECTIONS_PER_ADDRESS: '1' });
    const { value } = await keyHolder(service);
    const key = `X-API-Key: ${value}\r\n`;
    const payers = [await connected()];
    // Koa answers the first, the listener the second.
    for (const payer of [...payers]) await answered(payer, key, '/pm/v2/news?api_key=');
    payers.push(await connected());
    await answered(payers[1] as RawSocket, key, '/pm/v2/news');
    for (let i = 0; i < 3; i += 1) await answered(await connected());
    for (const payer of payers) await answered(payer, key, '/pm/v2/news');
  });

  it('still count after an unknown key', async () => {
    await start({ CONNECTIONS_PER_ADDRESS: '1' });
    const guessing = await connected();
    await answered(guessing, `X-API-Key: svc_${'A'.repeat(43)}\r\n`, '/pm/v2/news');
    await answered(await connected());
    await guessing.all();
  });

  for (const [why, environment] of [
    ['CONNECTIONS_PER_ADDRESS is 0', { CONNECTIONS_PER_ADDRESS: '0' }],
    ['a trusted proxy is in front', { CONNECTIONS_PER_ADDRESS: '1', TRUSTED_PROXY_HOPS: '1' }],
  ] as const) {
    it(`have no limit if ${why}`, async () => {
      await start(environment);
      const all = [await connected(), await connected(), await connected()];
      for (const one of [...all, ...all]) await answered(one);
    });
  }
});
