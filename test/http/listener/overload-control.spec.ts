import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import sinon from 'sinon';
import { refuseOverloaded } from '../../../src/adapters/http/answer/refuse-overloaded.js';
import { requestPriority } from '../../../src/adapters/http/limits/request-priority.js';
import { AcceptQueue } from '../../../src/adapters/http/listener/accept-queue.js';
import { Connections } from '../../../src/adapters/http/listener/connections.js';
import { OverloadControl } from '../../../src/adapters/http/listener/overload-control.js';
import { type Listener, listen } from '../../../src/adapters/http/listener/server.js';
import type { OverloadNotes } from '../../../src/application/ports/overload-notes.js';
import type { RequestPriority } from '../../../src/domain/limits/iteration-budget.js';
import { until } from '../../support/until.js';
import { type RawSocket, rawSocket } from './raw-socket.js';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const notes = () =>
  ({ refused: sinon.spy(), queueEmptied: sinon.spy(), iterationEnded: sinon.spy() }) satisfies OverloadNotes;

describe('A process that has more requests than it answers in time', () => {
  let listener: Listener;
  let client: RawSocket;
  let noted: ReturnType<typeof notes>;
  /** Each request takes so long by the clock of the overload control. */
  let requestMs: number;
  /** So many requests of an iteration are always served. */
  const SERVED_MIN = 50;

  const start = async (isOfOneClient: boolean) => {
    let now = 0;
    requestMs = 60;
    noted = notes();
    const overload = new OverloadControl({
      priorityOf: ({ url }: IncomingMessage) => (url === '/customer' ? 'customer' : 'stranger'),
      refuse: refuseOverloaded({ docsUrl: () => 'http://localhost/docs', support: null, links: '</status>' }),
      isOfOneClient,
      notes: noted,
      now: () => now,
    });
    listener = await listen(
      (_request, response) => {
        now += requestMs;
        response.end('served');
      },
      {
        host: '127.0.0.1',
        port: 0,
        headerTimeoutMs: 10_000,
        requestTimeoutMs: 15_000,
        unreadAnswerMs: 30_000,
        keepAliveMs: 65_000,
        drain: { bytesMax: 1_000_000, deadlineMs: 5_000 },
        connections: new Connections(0),
        onParserError: async (_fault, socket) => void socket.destroy(),
        overload,
      },
    );
    client = await rawSocket(listener.port);
  };
  afterEach(async () => {
    client.socket.destroy();
    await listener.stop();
  });

  const answers = () => client.received().match(/HTTP\/1\.1 \d+/g) ?? [];
  const answered = (count: number) => until(count, () => answers().length);
  /** Iterations of one long request each, until the queue has not been empty for 100 ms. */
  const reachStanding = async () => {
    for (const count of [1, 2, 3]) {
      client.send(get('/customer'));
      await answered(count);
    }
    requestMs = 1;
  };

  it('refuses what it reads after the budget of an iteration, with a problem document and Retry-After', async () => {
    await start(false);
    await reachStanding();
    client.send(get('/customer').repeat(SERVED_MIN + 1));
    await answered(3 + SERVED_MIN + 1);

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
  });

  it('refuses nothing in a burst', async () => {
    await start(false);
    client.send(get('/customer').repeat(4) + get('/stranger').repeat(4));
    await answered(8);
    expect(new Set(answers())).to.deep.equal(new Set(['HTTP/1.1 200']));
  });

  it('does not read a connection again that it refused, until shortly before its Retry-After', async () => {
    await start(true);
    await reachStanding();
    client.send(get('/customer').repeat(SERVED_MIN + 1));
    await answered(3 + SERVED_MIN + 1);
    client.send(get('/customer'));
    requestMs = 60; // A short iteration would be the end of overload.
    const other = await rawSocket(listener.port);
    other.send(get('/customer'));
    await other.until('served');
    expect(answers(), 'while others are read').to.have.length(3 + SERVED_MIN + 1);
    other.socket.destroy();
    await answered(3 + SERVED_MIN + 2);
    expect(answers().at(-1), 'sent too early').to.equal('HTTP/1.1 503');
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
  it('is emptied when it is old and its clients are gone; the port stays open, and so do other connections', async () => {
    let acceptMs = 0;
    let queue: AcceptQueue | null = null;
    const server = createServer((socket) => {
      const until = performance.now() + acceptMs;
      while (performance.now() < until);
      socket.on('error', () => {});
      if (queue?.takes(socket) !== true) socket.on('data', (data) => socket.write(data));
    });
    await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1' }, done));
    const { port } = server.address() as { readonly port: number };
    const emptied = sinon.spy();
    queue = new AcceptQueue(server, { backlog: 511, onEmptied: emptied });
    const before = await rawSocket(port);
    try {
      before.send('one');
      await before.until('one');
      acceptMs = 10;
      for (let n = 0; n < 80; n += 1) {
        const gone = connect({ port, host: '127.0.0.1' }, () => gone.resetAndDestroy());
        gone.on('error', () => {});
      }
      await until(true, () => emptied.called);
      expect(emptied.firstCall.args[0], 'milliseconds').to.be.at.least(100);

      acceptMs = 0;
      const after = await rawSocket(port);
      before.send('two');
      after.send('three');
      await Promise.all([before.until('two'), after.until('three')]);
      after.socket.destroy();
    } finally {
      before.socket.destroy();
      queue.stop();
      await new Promise((done) => server.close(done));
    }
  });

  it('is not emptied while its clients wait, however old it is', async () => {
    let queue: AcceptQueue | null = null;
    const server = createServer((socket) => {
      const until = performance.now() + 10;
      while (performance.now() < until);
      if (queue?.takes(socket) !== true) socket.end('accepted');
    });
    await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1' }, done));
    const { port } = server.address() as { readonly port: number };
    const emptied = sinon.spy();
    queue = new AcceptQueue(server, { backlog: 511, onEmptied: emptied });
    const clients = await Promise.all(Array.from({ length: 60 }, () => rawSocket(port)));
    const received = await Promise.all(clients.map((client) => client.all()));
    expect(new Set(received)).to.deep.equal(new Set(['accepted']));
    sinon.assert.notCalled(emptied);
    queue.stop();
    await new Promise((done) => server.close(done));
  });
});
