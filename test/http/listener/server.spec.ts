import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import sinon from 'sinon';
import type { Listener } from '../../../src/adapters/http/listener/server.js';
import { ask, signal } from '../../support/service/composed.js';
import { rawSocket } from './raw-socket.js';
import { testListener } from './test-listener.js';

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
    const listener = await testListener(async (_request, response) => {
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
    const listener = await testListener(async (request, response) => {
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
    const listener = await testListener(answering);
    const idle = await rawSocket(listener.port);
    idle.send(GET);
    await idle.until('you asked for /');
    await listener.stop();
    await idle.all();
  });

  it('closes connections on which no byte was ever sent (T8)', async () => {
    const listener = await testListener(answering);
    const silent = await rawSocket(listener.port);
    await ask(urlOf(listener)); // Connections are accepted in order, so the silent one has been accepted.
    await listener.stop();
    expect(await silent.all()).to.equal('');
  });

  it('closes connections on which half a header was sent, without a response', async () => {
    const listener = await testListener(answering);
    const slow = await rawSocket(listener.port);
    slow.send('GET / HTTP/1.1\r\nHos');
    await ask(urlOf(listener));
    await listener.stop();
    await slow.all();
  });

  it('stops if no client ever connected', async () => {
    const listener = await testListener(answering);
    await listener.stop();
    expect(await acceptsConnections(listener.port)).to.equal(false);
  });

  it('closes the connection of a request that has not ended after 10 s (T8)', async () => {
    const timers = sinon.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const entered = signal();
      const listener = await testListener(() => entered.send());
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
    const listener = await testListener((_request, response) => {
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
      const listener = await testListener((request, response) => {
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
    listener = await testListener(answering);
  });
  after(() => listener.stop());

  it('cannot open on a port that another server uses', async () => {
    const fault = await testListener(answering, { port: listener.port }).then(
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
      const tunnels = await testListener(() => {}, {
        onParserError: async (_fault, socket) => {
          closed = new Promise((done) => socket.once('close', done));
          reached.send();
          await isReset.sent;
          socket.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n');
        },
      });
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
