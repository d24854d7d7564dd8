import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { Connections } from '../../../src/adapters/http/listener/connections.js';
import { type Listener, listen } from '../../../src/adapters/http/listener/server.js';
import { signal } from '../../support/service/composed.js';
import { rawSocket } from './raw-socket.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** More bytes than the buffers of both ends hold. */
const LARGE_BODY = Buffer.alloc(32 * 1_024 * 1_024, 'a');

const opened = (handler: RequestListener, unreadAnswerMs = 200): Promise<Listener> =>
  listen(handler, {
    host: '127.0.0.1',
    port: 0,
    headerTimeoutMs: 200,
    requestTimeoutMs: 15_000,
    unreadAnswerMs,
    keepAliveMs: 65_000,
    drain: { bytesMax: 1_000_000, deadlineMs: 5_000 },
    connections: new Connections(0),
    onParserError: (fault, socket) =>
      new Promise((done) => {
        socket.end(`refused: ${(fault as { readonly code?: string }).code}`, done);
      }),
  });

describe('A response', () => {
  let listener: Listener;
  let caller: Socket;
  afterEach(async () => {
    caller.destroy();
    await listener.stop();
  });

  it('loses its connection if the client does not read it (UNREAD_ANSWER_TIMEOUT_MS)', async () => {
    const answered = signal();
    let closed: Promise<unknown> = Promise.resolve();
    listener = await opened((request, response) => {
      closed = once(request.socket, 'close');
      response.end(LARGE_BODY);
      answered.send();
    });
    caller = connect(listener.port, '127.0.0.1').pause();
    caller.on('error', () => {});
    caller.write(GET);
    await answered.sent;
    await closed;
  });

  it('arrives completely if the client reads it, however large it is', async () => {
    listener = await opened((_request, response) => void response.end(LARGE_BODY));
    caller = connect(listener.port, '127.0.0.1');
    caller.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let bytes = 0;
    caller.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(caller, 'end');
    expect(bytes).to.be.greaterThan(LARGE_BODY.length);
  });

  it('comes from the handler of parser errors if the header does not arrive in time (T9)', async () => {
    // The limit of unread responses would close the connection first.
    listener = await opened((_request, response) => void response.end(), 5_000);
    const dripping = await rawSocket(listener.port);
    caller = dripping.socket;
    dripping.send('GET / HTTP/1.1\r\nHos');
    expect(await dripping.all()).to.equal('refused: ERR_HTTP_REQUEST_TIMEOUT');
  });

  it('is waited for if the service needs longer than that', async () => {
    listener = await opened((_request, response) => {
      void setTimeout(600).then(() => response.end('at last'));
    });
    const patient = await rawSocket(listener.port);
    caller = patient.socket;
    patient.send(GET);
    await patient.until('at last');
    patient.send(GET);
    await patient.until('at last', patient.received().length);
  });

  it('is sent to a request that this process reads late, because it was busy or stopped (T17)', async () => {
    listener = await opened((_request, response) => {
      response.setHeader('Connection', 'close').end('late');
    });
    const patient = await rawSocket(listener.port);
    caller = patient.socket;
    await setTimeout(20); // The connection is accepted.
    await setImmediate(); // After it, the event loop handles timers first.
    patient.send(GET);
    const until = performance.now() + 300; // Longer than the time limit of the connection.
    while (performance.now() < until);
    expect(await patient.all()).to.contain('late');
  });
});
