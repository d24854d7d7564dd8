import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import sinon from 'sinon';
import { Connections } from '../../../src/adapters/http/listener/connections.js';
import { type Listener, type ListenerSettings, listen } from '../../../src/adapters/http/listener/server.js';
import { ask, signal } from '../../support/service/composed.js';
import { until } from '../../support/until.js';
import { rawSocket } from './raw-socket.js';

const opened = (
  handler: RequestListener,
  port = 0,
  onParserError: ListenerSettings['onParserError'] = async (_fault, socket) =>
    void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
): Promise<Listener> =>
  listen(handler, {
    host: '127.0.0.1',
    port,
    headerTimeoutMs: 10_000,
    requestTimeoutMs: 15_000,
    unreadAnswerMs: 30_000,
    keepAliveMs: 65_000,
    drain: { bytesMax: 1_000_000, deadlineMs: 5_000 },
    connections: new Connections(0),
    onParserError,
  });

const answering: RequestListener = (request, response) => void response.end(`you asked for ${request.url}`);
const urlOf = ({ port }: Listener) => `http://127.0.0.1:${port}/`;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Whether a port still accepts connections. */
const acceptsConnections = async (port: number): Promise<boolean> => {
  try {
    (await rawSocket(port)).socket.destroy();
    return true;
  } catch {
    return false;
  }
};

describe('A listener that stops', () => {
  it('lets a request in progress end, and accepts no new connection meanwhile (T8)', async () => {
    const [entered, release] = [signal(), signal()];
    const listener = await opened(async (_request, response) => {
      entered.send();
      await release.sent;
      response.end('in full');
    });
    const held = ask(urlOf(listener));
    await entered.sent;

    let stopped = false;
    const stopping = listener.stop().then(() => {
      stopped = true;
    });
    expect(await acceptsConnections(listener.port)).to.equal(false);
    expect(stopped).to.equal(false);
    release.send();

    const [answer] = await Promise.all([held, stopping]);
    expect([answer.status, answer.body.toString()]).to.deep.equal([200, 'in full']);
  });

  it('lets all requests in progress end', async () => {
    const releases = [signal(), signal(), signal()];
    const entered = [signal(), signal(), signal()];
    const listener = await opened(async (request, response) => {
      const number = Number(request.url?.slice(1));
      entered[number]?.send();
      await releases[number]?.sent;
      response.end(`answer ${number}`);
    });
    const held = [0, 1, 2].map((number) => ask(`${urlOf(listener)}${number}`));
    await Promise.all(entered.map(({ sent }) => sent));
    const stopping = listener.stop();
    for (const [i, release] of releases.entries()) {
      release.send();
      expect((await held[i])?.body.toString()).to.equal(`answer ${i}`);
    }
    await stopping;
  });

  it('closes idle keep-alive connections (T8)', async () => {
    const listener = await opened(answering);
    const idle = await rawSocket(listener.port);
    idle.send(GET);
    await idle.until('you asked for /');
    await listener.stop();
    await idle.all();
  });

  it('closes connections on which no byte was ever sent (T8)', async () => {
    const listener = await opened(answering);
    const silent = await rawSocket(listener.port);
    await ask(urlOf(listener)); // Connections are accepted in order, so the silent one has been accepted.
    await listener.stop();
    expect(await silent.all()).to.equal('');
  });

  it('closes connections on which half a header was sent, without a response', async () => {
    const listener = await opened(answering);
    const slow = await rawSocket(listener.port);
    slow.send('GET / HTTP/1.1\r\nHos');
    await ask(urlOf(listener));
    await listener.stop();
    await slow.all();
  });

  it('stops if no client ever connected', async () => {
    const listener = await opened(answering);
    await listener.stop();
    expect(await acceptsConnections(listener.port)).to.equal(false);
  });

  it('closes the connection of a request that has not ended after 10 s (T8)', async () => {
    const timers = sinon.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const entered = signal();
      const listener = await opened(() => entered.send());
      const held = await rawSocket(listener.port);
      held.send(GET);
      await entered.sent;
      let stopped = false;
      const stopping = listener.stop().then(() => {
        stopped = true;
      });
      await timers.tickAsync(9_999);
      expect(stopped).to.equal(false);
      await timers.tickAsync(1);
      await stopping;
      expect(await held.all()).to.equal('');
    } finally {
      timers.restore();
    }
  });

  it('is not delayed by a client that has disconnected', async () => {
    const entered = signal();
    const gone = signal();
    const listener = await opened((_request, response) => {
      response.once('close', gone.send);
      entered.send();
    });
    const caller = await rawSocket(listener.port);
    caller.send(GET);
    await entered.sent;
    caller.socket.destroy();
    await gone.sent;
    await listener.stop();
  });

  for (const answered of [0, 1]) {
    it(`is not delayed by a client that disconnected after ${answered} of three pipelined responses`, async () => {
      const entered = signal();
      const closed: (string | undefined)[] = [];
      const listener = await opened((request, response) => {
        response.on('close', () => closed.push(request.url));
        if (request.url === '/2') entered.send();
        if (request.url === '/0' && answered === 1) setImmediate(() => response.end('you asked for /0'));
      });
      const caller = await rawSocket(listener.port);
      caller.send(['/0', '/1', '/2'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
      await entered.sent;
      if (answered === 1) await caller.until('you asked for /0');
      caller.socket.destroy();
      await listener.stop();
      expect(closed).to.have.members(['/0', '/1', '/2']);
    });
  }
});

describe('A listener', () => {
  let listener: Listener;
  before(async () => {
    listener = await opened(answering);
  });
  after(() => listener.stop());

  it('cannot open on a port that another server uses', async () => {
    const fault = await opened(answering, listener.port).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(fault).to.include({ code: 'EADDRINUSE' });
  });

  for (const [target, seen] of [
    ['/a/b?c=d', '/a/b?c=d'],
    ['http://host.example/a?b=c', '/a?b=c'],
    ['http://host.example/a?b=c#d', '/a?b=c'],
    ['/a?b=c#d', '/a?b=c'],
    ['/a\\b#c', '/a\\b'],
    ['http://host.example', '/'],
    ['HTTP://user:word@host.example:99/a', '/a'],
    ['//a/b', '//a/b'],
    ['*', '*'],
  ] as const) {
    it(`passes on the request target “${target}” as “${seen}” (RFC 9112)`, async () => {
      const caller = await rawSocket(listener.port);
      caller.send(`OPTIONS ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect((await caller.all()).split('\r\n\r\n').slice(1).join()).to.include(`you asked for ${seen}`);
    });
  }

  for (const target of ['nothing', 'a/b', '?a=b', 'http://', 'http://[::zz]/']) {
    it(`treats the request target “${target}” as a parser error`, async () => {
      const caller = await rawSocket(listener.port);
      caller.send(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(await caller.all()).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
    });
  }

  it('handles a request with an unknown Expect header', async () => {
    const caller = await rawSocket(listener.port);
    caller.send('GET /x HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n');
    expect(await caller.all()).to.match(/^HTTP\/1\.1 200 OK\r\n(?:.|\s)*you asked for \/x/);
  });

  for (const before of ['', GET]) {
    const title = before === '' ? '' : ' while an earlier request waits for its response';
    it(`survives a CONNECT whose client resets the connection${title}`, async () => {
      const [reached, isReset] = [signal(), signal()];
      let closed: Promise<unknown> = Promise.resolve();
      const tunnels = await opened(
        () => {},
        0,
        async (_fault, socket) => {
          closed = new Promise((done) => socket.once('close', done));
          reached.send();
          await isReset.sent;
          socket.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n');
        },
      );
      const caller = await rawSocket(tunnels.port);
      caller.send(`${before}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
      await reached.sent;
      caller.socket.resetAndDestroy();
      isReset.send();
      await closed;
      await tunnels.stop();
    });
  }

  it('states how long it keeps an idle connection (T9)', async () => {
    const caller = await rawSocket(listener.port);
    caller.send(GET);
    await caller.until('you asked for');
    expect(caller.received()).to.include('Keep-Alive: timeout=65\r\n');
    caller.socket.destroy();
    await once(caller.socket, 'close');
  });
});

describe('Pipelined requests of one connection', () => {
  let listener: Listener;
  before(async () => {
    listener = await opened((request, response) => {
      setImmediate(() => response.end(`you asked for ${request.url}`));
    });
  });
  after(() => listener.stop());

  const requests = (count: number) =>
    Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

  for (const count of [17, 18, 100, 272]) {
    it(`are all answered in order: ${count} in one packet`, async () => {
      const caller = await rawSocket(listener.port);
      for (let round = 0; round < 3; round += 1) {
        const before = caller.received().length;
        caller.send(requests(count));
        await caller.until(`you asked for /${count - 1}`, before);
        const answers =
          caller
            .received()
            .slice(before)
            .match(/asked for \/\d+/g) ?? [];
        expect(answers).to.deep.equal(Array.from({ length: count }, (_, i) => `asked for /${i}`));
      }
      caller.socket.destroy();
    });
  }

  it('are handled seventeen at once, and are read no further while some of them wait', async () => {
    const held: ServerResponse[] = [];
    let [isHeld, most] = [true, 0];
    const holding = await opened((request, response) => {
      if (request.url === '/last') response.end('the last one');
      else if (isHeld) held.push(response);
      else setImmediate(() => response.end());
      most = Math.max(most, held.length);
    });
    const caller = await rawSocket(holding.port);
    caller.send(requests(20));
    // More than the buffers of the operating system take.
    const more = `GET /more HTTP/1.1\r\nHost: a\r\nX-Filler: ${'x'.repeat(8_000)}\r\n\r\n`;
    for (let sent = 0; sent < 3_000; sent += 1) caller.send(more);
    caller.send('GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await until(true, () => held.length >= 17);
    for (let n = 0; n < 8; n += 1) held.shift()?.end();
    await until(true, () => held.length >= 16);
    expect(most).to.equal(17);
    expect(caller.socket.writableLength).to.be.above(0);
    isHeld = false;
    for (const response of held) response.end();
    expect(await caller.all()).to.include('the last one');
    await holding.stop();
  });

  it('are handled with their bodies, also the last one that had to wait', async () => {
    const echoing = await opened(async (request, response) => response.end(await text(request)));
    const caller = await rawSocket(echoing.port);
    caller.send(requests(40));
    caller.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\nConnection: close\r\n\r\n');
    caller.send('x'.repeat(200_000));
    expect(await caller.all()).to.include('x'.repeat(200_000));
    await echoing.stop();
  });

  it('are not handled any more after their connection has closed', async () => {
    const held: ServerResponse[] = [];
    const holding = await opened((_request, response) => void held.push(response));
    const caller = await rawSocket(holding.port);
    caller.send(requests(40));
    await until(true, () => held.length === 17);
    const closed = Promise.all(held.map((response) => once(response, 'close')));
    held[0]?.req.socket.destroy();
    await closed;
    caller.socket.destroy();
    await holding.stop();
    expect(held.length).to.equal(17);
  });

  it('are cut off with their connection beyond 256 that wait: one packet can hold a thousand', async () => {
    const caller = await rawSocket(listener.port);
    caller.send(requests(1_000));
    await caller.all();
  });
});
