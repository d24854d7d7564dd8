import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import sinon from 'sinon';
import { takeoverOf } from '../../../../src/adapters/fast-paths/takeover.js';
import type { Listener } from '../../../../src/adapters/http/listener/server.js';
import { signal } from '../../../support/service/composed.js';
import { rawSocket } from '../raw-socket.js';
import { testListener } from '../test-listener.js';

/** How long requests in progress may take to end (T8). */
const ENDING_MS = 10_000;

const body = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
};

/** Echoes the body of a request without upgrade. */
const echo: RequestListener = async (request, response) => {
  response.end(`${request.method} ${request.url} ${await body(request)};`);
};

const asks = (path: string, protocol: string, more = '', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`;

describe('A listener whose handler may take connections over', () => {
  let listener: Listener;
  const handled: IncomingMessage[] = [];
  let atUpgrade: (request: IncomingMessage, response: ServerResponse) => void;
  const start = async (unreadAnswerMs = 30_000) => {
    listener = await testListener(
      (request, response) => {
        handled.push(request);
        if (takeoverOf(request) === null) void echo(request, response);
        else atUpgrade(request, response);
      },
      {
        unreadAnswerMs,
        mayTakeOver: ({ url }) => url?.startsWith('/up') === true,
      },
    );
  };
  beforeEach(async () => {
    handled.length = 0;
    await start();
  });
  afterEach(() => {
    sinon.restore();
    return listener.stop();
  });

  const refusing = (_request: IncomingMessage, response: ServerResponse) => {
    response.statusCode = 429;
    response.end('not now');
  };
  /** Accepts, and echoes what follows. */
  const accepting = (request: IncomingMessage): { readonly socket: Socket; readonly head: Buffer } => {
    const takeover = takeoverOf(request);
    if (takeover === null) throw new Error('no takeover');
    const head = takeover.accept();
    const { socket } = takeover;
    socket.setTimeout(0); // As every library for WebSockets does.
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    socket.on('data', (chunk) => socket.write(`echo ${chunk}`)).on('end', () => socket.end());
    return { socket, head };
  };

  it('handles an offer of another protocol like a request without it, again and again on one connection', async () => {
    const caller = await rawSocket(listener.port);
    for (let i = 0; i < 30; i += 1) {
      caller.send(asks(`/${i}`, 'h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__\r\n'));
      await caller.until(`GET /${i} ;`);
    }
    expect(caller.received()).to.not.include('close');
    caller.socket.destroy();
  });

  it('reads the body of such a request', async () => {
    const caller = await rawSocket(listener.port);
    caller.send(`${asks('/a', 'h2c', 'Content-Length: 5\r\n', 'POST')}12345`);
    await caller.until('POST /a 12345;');
    caller.send(asks('/b', 'websocket'));
    await caller.until('GET /b ;');
    caller.socket.destroy();
  });

  it('refuses an upgrade with a response, and closes the connection', async () => {
    atUpgrade = refusing;
    const caller = await rawSocket(listener.port);
    const faults: Error[] = [];
    caller.socket.on('error', (fault) => faults.push(fault));
    caller.send(`${asks('/up', 'websocket')}${'bytes that nobody reads '.repeat(700_000)}`);
    await caller.until('not now');
    await new Promise<void>((done) => void caller.socket.end(done).once('close', () => done()));
    expect(caller.received()).to.match(/^HTTP\/1\.1 429 .*\r\nConnection: close\r\n.*\r\n\r\nnot now$/s);
    await caller.closed;
    expect(faults).to.deep.equal([]);
    expect(handled).to.have.length(1);
  });

  it('waits for a handler that decides late', async () => {
    const [asked, decided] = [signal(), signal()];
    atUpgrade = (request, response) => {
      asked.send();
      void decided.sent.then(() => refusing(request, response));
    };
    const caller = await rawSocket(listener.port);
    caller.send(asks('/up', 'websocket'));
    await asked.sent;
    const stopping = listener.stop();
    decided.send();
    expect(await caller.all()).to.include('not now');
    await stopping;
  });

  it('hands an accepted connection over, with the bytes that followed the request', async () => {
    let head: Buffer = Buffer.alloc(0);
    atUpgrade = (request) => {
      ({ head } = accepting(request));
    };
    const caller = await rawSocket(listener.port);
    caller.send(`${asks('/up', 'websocket')}first`);
    await caller.until('101');
    caller.send('second');
    await caller.until('echo second');
    expect(head.toString()).to.equal('first');
    caller.socket.destroy();
  });

  it('closes accepted connections when it stops, after the time for requests in progress (T26)', async () => {
    const timers = sinon.useFakeTimers({ toFake: ['setTimeout'] });
    atUpgrade = accepting;
    const caller = await rawSocket(listener.port);
    caller.send(asks('/up', 'websocket'));
    await caller.until('101');
    const stopped = listener.stop();
    await timers.tickAsync(ENDING_MS);
    timers.restore();
    await stopped;
    await caller.all();
  });

  it('stops at once when accepted connections have closed', async () => {
    let accepted: Socket | undefined;
    atUpgrade = (request) => {
      accepted = accepting(request).socket;
    };
    const caller = await rawSocket(listener.port);
    caller.send(asks('/up', 'websocket'));
    await caller.until('101');
    const stopping = listener.stop();
    accepted?.destroy();
    await stopping;
  });

  it('does not write the response of an accepted upgrade', async () => {
    atUpgrade = (request, response) => {
      accepting(request);
      response.end('a late response');
    };
    const caller = await rawSocket(listener.port);
    caller.send(asks('/up', 'websocket'));
    await caller.until('101');
    caller.send('second');
    await caller.until('echo second');
    caller.socket.end();
    expect(await caller.all()).to.not.include('late');
  });

  it('decides on an upgrade after the responses to earlier requests on the connection', async () => {
    atUpgrade = accepting;
    const caller = await rawSocket(listener.port);
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx`;
    caller.send(`${post('/1')}${post('/2')}${asks('/up', 'websocket')}`);
    await caller.until('101');
    expect(caller.received().match(/POST \/\d x;|101/g)).to.deep.equal(['POST /1 x;', 'POST /2 x;', '101']);
    caller.socket.destroy();
  });

  it('notices a client that disconnects while an earlier request has no response', async () => {
    const caller = await rawSocket(listener.port);
    atUpgrade = accepting;
    caller.send(`POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxx${asks('/up', 'websocket')}`);
    caller.socket.resetAndDestroy();
    await listener.stop();
    await start();
  });

  it('closes an accepted connection of a client that reads nothing, and not one that is only quiet', async () => {
    await listener.stop();
    await start(200);
    const sockets: Socket[] = [];
    atUpgrade = (request) => void sockets.push(accepting(request).socket);
    const [quiet, greedy] = [await rawSocket(listener.port), await rawSocket(listener.port)];
    for (const caller of [quiet, greedy]) {
      caller.send(asks('/up', 'websocket'));
      await caller.until('101');
    }
    const [quietSocket, greedySocket] = sockets;
    if (quietSocket === undefined || greedySocket === undefined) expect.fail('not accepted');
    greedy.socket.pause();
    greedySocket.write(Buffer.alloc(64 * 1_024 * 1_024));
    await once(greedySocket, 'close');
    expect(quietSocket.destroyed).to.equal(false);
    for (const caller of [quiet, greedy]) caller.socket.destroy();
  });

  it('survives a client that resets the connection at any time', async () => {
    const decided = signal();
    atUpgrade = (request, response) => void decided.sent.then(() => refusing(request, response));
    const caller = await rawSocket(listener.port);
    caller.send(asks('/up', 'websocket'));
    caller.socket.resetAndDestroy();
    decided.send();
    const next = await rawSocket(listener.port);
    next.send('GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await next.all()).to.include('GET /next ;');
  });
});

describe('A response without end on a connection that is not taken over', () => {
  it('is the last one on its connection: later requests are not handled', async () => {
    const handled: string[] = [];
    const listener = await testListener(({ url = '' }, response) => {
      handled.push(url);
      if (url !== '/stream') return void response.end(`answer to ${url}`);
      response.shouldKeepAlive = false;
      response.flushHeaders();
    });
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const caller = await rawSocket(listener.port);
    caller.send(request('/before') + request('/stream'));
    await caller.until('Connection: close');
    caller.send(request('/after').repeat(16));
    const other = await rawSocket(listener.port);
    other.send(request('/other'));
    await other.until('answer to /other');
    expect(handled).to.deep.equal(['/before', '/stream', '/other']);
    caller.send(request('/too-many'));
    const received = await caller.all();
    other.socket.destroy();
    await listener.stop();
    expect(received).to.not.include('answer to /after');
  });
});
