import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { takeoverOf } from '../../../../src/adapters/fast-paths/takeover.js';
import { logAnswer } from '../../../../src/adapters/http/access-log.js';
import { openingListener } from '../../../../src/adapters/http/feed/stream/opening-listener.js';
import type { OpeningQueue } from '../../../../src/adapters/http/feed/stream/opening-queue.js';
import type { Listener } from '../../../../src/adapters/http/listener/server.js';
import { composed } from '../../../support/service/composed.js';
import { until } from '../../../support/until.js';
import { rawSocket } from '../../listener/raw-socket.js';
import { testListener } from '../../listener/test-listener.js';

const CLIENT_CLOSED_REQUEST = 499;
/** Longer than the rest of a request takes. */
const WAIT_MS = 100;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('Requests for streams, before the middleware', () => {
  let listener: Listener;
  let isDraining: boolean;
  let waiting: (() => void)[];
  let handled: (string | undefined)[];
  let logged: { readonly status: number; readonly aborted: boolean; readonly duration_ms: number }[];
  beforeEach(async () => {
    isDraining = false;
    waiting = [];
    handled = [];
    logged = [];
    const requestLog = {
      record: (line: (typeof logged)[number]) => void logged.push(line),
      recordPoll: null,
      measure: () => {},
      redact: (text: string) => text,
    };
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      const { url = '' } = request;
      handled.push(url);
      const ended = { requestId: 'r', trace: null, method: 'GET', route: url, path: url, querystring: '' };
      logAnswer(
        requestLog,
        response,
        () => ({ ...ended, address: '::1', key: null, limits: null, code: null, bytes: null }),
        takeoverOf(request)?.askedAt,
      );
      if (!response.closed) response.end(`answer to ${url}`); // As Koa does.
    };
    const openings = { wait: () => new Promise<void>((done) => waiting.push(done)) };
    listener = await testListener(
      openingListener(handle, openings, () => isDraining),
      {
        mayTakeOver: ({ url }) => url === '/stream',
      },
    );
  });
  afterEach(() => listener.stop());

  const goOn = () => {
    for (const done of waiting.splice(0)) done();
  };

  it('wait, while other requests are answered at once', async () => {
    const [stream, page] = [await rawSocket(listener.port), await rawSocket(listener.port)];
    stream.send(get('/stream'));
    await until(1, () => waiting.length);
    const waitingSince = performance.now();
    page.send(get('/page'));
    await page.until('answer to /page');
    expect(handled).to.deep.equal(['/page']);
    const waitedMs = performance.now() - waitingSince;
    goOn();
    await stream.until('answer to /stream');
    await until(2, () => logged.length);
    expect(logged[1]?.duration_ms, 'the wait is part of the duration').to.be.at.least(waitedMs);
    page.socket.destroy();
  });

  it('are logged if the client has gone away meanwhile', async () => {
    const stream = await rawSocket(listener.port);
    stream.send(get('/stream'));
    await until(1, () => waiting.length);
    stream.socket.end();
    await stream.closed;
    goOn();
    await until(1, () => logged.length);
    expect(logged[0]).to.include({ status: CLIENT_CLOSED_REQUEST, aborted: true });
  });

  it('do not wait during a shutdown', async () => {
    isDraining = true;
    const stream = await rawSocket(listener.port);
    stream.send(get('/stream'));
    await stream.until('answer to /stream');
    expect(waiting).to.deep.equal([]);
  });
});

describe('A request for a stream at the public listener', () => {
  it('waits before the middleware, and is logged with its wait and its address, also if its client has gone meanwhile', async () => {
    const waiting: (() => void)[] = [];
    const openings = { wait: () => new Promise<void>((done) => void waiting.push(done)) };
    // Without a limit for each address, nothing else reads the address before the wait.
    const service = await composed({ CONNECTIONS_PER_ADDRESS: '0' }, () => ({
      openings: () => openings as OpeningQueue,
    }));
    const caller = await rawSocket(service.port);
    caller.send('GET /pm/v2/stream HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_wrong\r\n\r\n');
    await until(1, () => waiting.length);
    const waitingSince = performance.now();
    caller.socket.end();
    await caller.closed;
    await setTimeout(WAIT_MS);
    const waitedMs = performance.now() - waitingSince;
    for (const done of waiting) done();
    const line = await service.line(({ route }) => route === '/pm/v2/stream');
    expect(line).to.include({ status: 401, address: '127.0.0.1' });
    expect(line['duration_ms']).to.be.at.least(waitedMs);
    await service.stop();
  });
});
