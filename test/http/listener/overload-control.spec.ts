import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import sinon from 'sinon';
import { refuseOverloaded } from '../../../src/adapters/http/answer/refuse-overloaded.js';
import { requestPriority } from '../../../src/adapters/http/limits/request-priority.js';
import { AcceptQueue } from '../../../src/adapters/http/listener/accept-queue.js';
import { OverloadControl } from '../../../src/adapters/http/listener/overload-control.js';
import type { Listener } from '../../../src/adapters/http/listener/server.js';
import type { OverloadNotes } from '../../../src/application/ports/overload-notes.js';
import { ALWAYS_SERVED, type RequestPriority } from '../../../src/domain/limits/iteration-budget.js';
import { until } from '../../support/until.js';
import { type RawSocket, rawSocket } from './raw-socket.js';
import { testListener } from './test-listener.js';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const notes = () =>
  ({ refused: sinon.spy(), queueEmptied: sinon.spy(), iterationEnded: sinon.spy() }) satisfies OverloadNotes;

describe('A process that has more requests than it answers in time', () => {
  let listener: Listener;
  let client: RawSocket;
  let noted: ReturnType<typeof notes>;
  let overload: OverloadControl;
  /** Each request takes so long by the clock of the overload control. */
  let requestMs: number;

  const start = async (isOfOneClient: boolean) => {
    let now = 0;
    requestMs = 1;
    noted = notes();
    overload = new OverloadControl({
      priorityOf: ({ url }: IncomingMessage) => (url === '/customer' ? 'customer' : 'stranger'),
      refuse: refuseOverloaded({
        docsUrl: () => 'http://localhost/docs',
        planUrl: () => '',
        support: null,
        links: '</status>',
      }),
      isOfOneClient,
      notes: noted,
      now: () => now,
    });
    listener = await testListener(
      (_request, response) => {
        now += requestMs;
        response.end('served');
      },
      { overload },
    );
    client = await rawSocket(listener.port);
  };
  afterEach(async () => {
    client.socket.destroy();
    await listener.stop();
  });

  const answers = () => client.received().match(/HTTP\/1\.1 \d+/g) ?? [];
  /** Sends requests that are read in one iteration. Resolves to the statuses of their answers. */
  const ask = async (...requests: readonly string[]) => {
    const before = answers().length;
    client.send(requests.map(get).join(''));
    await until(before + requests.length, () => answers().length);
    return answers()
      .slice(before)
      .map((line) => Number(line.slice(-3)));
  };
  const customers = (count: number) => Array.from({ length: count }, () => '/customer');
  /** Of an iteration with customers only, the first requests, and as many customers, are always served. */
  const SERVED = 2 * ALWAYS_SERVED;
  const reachOverload = async () => {
    for (let iteration = 0; iteration < 3; iteration += 1) await ask(...customers(SERVED));
  };

  it('refuses what it reads after the budget of an iteration, with a problem document and Retry-After', async () => {
    await start(false);
    await reachOverload();
    expect((await ask(...customers(SERVED + 1))).filter((status) => status !== 200)).to.deep.equal([503]);

    const refusal = client.received().slice(client.received().lastIndexOf('HTTP/1.1'));
    expect(refusal).to.match(
      /^HTTP\/1\.1 503 .*\r\nRetry-After: [123]\r\nX-Request-Id: overload-\w{8}-0{11}1\r\n/s,
    );
    const document = JSON.parse(refusal.slice(refusal.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;
    expect(document).to.include({
      status: 503,
      code: 'overloaded',
      type: 'http://localhost/docs/errors#overloaded',
    });
    expect(document.request_id).to.match(/^overload-/);
    sinon.assert.calledOnceWithExactly(noted.refused, 'customer' satisfies RequestPriority);
    expect(overload.requestsRead(), 'with those that were refused').to.equal(answers().length);
  });

  it('refuses nothing in a burst', async () => {
    await start(false);
    const statuses = await ask(...customers(SERVED + 1), ...customers(SERVED).fill('/stranger'));
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });

  it('does not read a connection again that it refused, until shortly before its Retry-After', async () => {
    await start(true);
    await reachOverload();
    await ask(...customers(SERVED + 1));
    const answered = answers().length;
    requestMs = 60; // A short iteration would be the end of overload.
    const repeated = ask('/customer');
    const other = await rawSocket(listener.port);
    other.send(get('/customer'));
    await other.until('served');
    expect(answers(), 'while others are read').to.have.length(answered);
    other.socket.destroy();
    expect(await repeated, 'sent too early').to.deep.equal([503]);
  });

  it('reads a refused connection again when overload has ended', async () => {
    await start(true);
    await reachOverload();
    await ask(...customers(SERVED + 1));
    requestMs = 0;
    const other = await rawSocket(listener.port);
    other.send(get('/customer'));
    await other.until('served');
    other.socket.destroy();
    expect(await ask('/customer')).to.deep.equal([200]);
  });
});

describe('The priority of a request', () => {
  const of = (url: string, key: object | null | 'malformed') =>
    requestPriority({ of: () => key } as never)({
      url,
      rawHeaders: [],
      socket: {},
    } as unknown as IncomingMessage);
  const customer = { wasAdmitted: true, wasLimited: false };

  it('depends on its path and on what is known of its key', () => {
    expect(of('/pm/v2/news', customer)).to.equal('customer');
    expect(of('/pm/v2/stream?after=1', customer)).to.equal('stream');
    expect(of('/pm/v2/changes?after=1', customer)).to.equal('stream');
    expect(of('/pm/v2/news', { ...customer, wasLimited: true })).to.equal('limited');
    expect(of('/pm/v2/news', { ...customer, wasAdmitted: false })).to.equal('unproven');
    expect([of('/docs', null), of('/mcp', 'malformed')]).to.deep.equal(['stranger', 'stranger']);
    expect(['/dashboard/keys', '/operator', '/webhooks/stripe'].map((path) => of(path, null))).to.deep.equal([
      'session',
      'session',
      'session',
    ]);
  });
});

describe('The queue of connections that are not accepted yet', () => {
  let server: Server;
  let queue: AcceptQueue | null;
  let acceptMs: number;
  let emptied: sinon.SinonSpy;
  const received: string[] = [];
  const port = () => (server.address() as AddressInfo).port;
  beforeEach(async () => {
    acceptMs = 0;
    queue = null;
    received.length = 0;
    server = createServer((socket) => {
      const until = performance.now() + acceptMs;
      while (performance.now() < until);
      socket.on('error', () => {});
      if (queue?.takes(socket) === true) return;
      socket.on('data', (data) => {
        queue?.begin(socket, () => {
          received.push(data.toString());
          socket.write(data);
        });
      });
    });
    await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1' }, done));
    emptied = sinon.spy();
    queue = new AcceptQueue(server, { backlog: 511, onEmptied: emptied });
  });
  afterEach(async () => {
    queue?.stop();
    await new Promise((done) => server.close(done));
  });

  it('is emptied when it is abandoned; the port stays open, and so do other connections', async () => {
    const before = await rawSocket(port());
    before.send('one');
    await before.until('one');
    acceptMs = 10;
    for (let n = 0; n < 120; n += 1) {
      const gone = connect({ port: port(), host: '127.0.0.1' }, () =>
        gone.write('gone', () => gone.destroy()),
      );
      gone.on('error', () => {});
    }
    await until(true, () => emptied.called);
    expect(emptied.firstCall.args[0], 'milliseconds').to.be.above(100);

    acceptMs = 0;
    const after = await rawSocket(port());
    before.send('two');
    after.send('three');
    await Promise.all([before.until('two'), after.until('three')]);
    expect(received.filter((text) => text === 'gone').length, 'before the wait was measured').to.be.below(60);
    for (const { socket } of [before, after]) socket.destroy();
  });

  it('is not emptied while its clients wait, however old it is', async () => {
    acceptMs = 10;
    const clients = await Promise.all(Array.from({ length: 60 }, () => rawSocket(port())));
    for (const client of clients) client.send('here');
    await Promise.all(clients.map((client) => client.until('here')));
    sinon.assert.notCalled(emptied);
    for (const { socket } of clients) socket.destroy();
  });
});
