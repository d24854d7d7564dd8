import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { Connections } from '../../../../src/adapters/http/listener/connections.js';
import { type Listener, listen } from '../../../../src/adapters/http/listener/server.js';
import { takeoverOf } from '../../../../src/adapters/http/listener/takeover.js';
import { until } from '../../../support/until.js';
import { rawSocket } from '../raw-socket.js';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('Requests that wait before they may take the connection over', () => {
  let listener: Listener;
  let waiting: (() => void)[];
  let handled: IncomingMessage[];
  beforeEach(async () => {
    waiting = [];
    handled = [];
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      handled.push(request);
      response.end(`answer to ${request.url}`);
    };
    listener = await listen(handle, {
      host: '127.0.0.1',
      port: 0,
      headerTimeoutMs: 10_000,
      requestTimeoutMs: 15_000,
      unreadAnswerMs: 30_000,
      drain: { bytesMax: 1_000_000, deadlineMs: 5_000 },
      connections: new Connections(0),
      onParserError: async (_fault, socket) => void socket.destroy(),
      mayTakeOver: ({ url }) => url === '/stream',
      waitForTakeover: () => new Promise((done) => waiting.push(done)),
    });
  });
  afterEach(() => listener.stop());

  const goOn = () => {
    for (const done of waiting.splice(0)) done();
  };

  it('are handled after it, and other requests at once', async () => {
    const [stream, page] = [await rawSocket(listener.port), await rawSocket(listener.port)];
    stream.send(get('/stream'));
    await until(1, () => waiting.length);
    page.send(get('/page'));
    await page.until('answer to /page');
    expect(handled.map(({ url }) => url)).to.deep.equal(['/page']);
    const waitedUntil = performance.now();
    goOn();
    await stream.until('answer to /stream');
    const [, request] = handled;
    const askedAt = request === undefined ? undefined : takeoverOf(request)?.askedAt;
    expect(askedAt).to.be.within(1, waitedUntil);
    page.socket.destroy();
  });

  it('are not handled if the client has gone away', async () => {
    const stream = await rawSocket(listener.port);
    stream.send(get('/stream'));
    await until(1, () => waiting.length);
    stream.socket.end();
    await stream.closed;
    goOn();
    await listener.stop();
    expect(handled).to.deep.equal([]);
  });
});
