import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import sinon from 'sinon';
import { takeoverOf } from '../../../../src/adapters/fast-paths/takeover.js';
import { until } from '../../../support/until.js';
import { rawSocket } from '../raw-socket.js';
import { testListener } from '../test-listener.js';

const UNREAD_MS = 200;
/** Every `GET /stream` may take the connection over. */
const start = (handler: RequestListener) =>
  testListener(handler, { unreadAnswerMs: UNREAD_MS, mayTakeOver: ({ url }) => url === '/stream' });
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const accepted = (request: IncomingMessage, response: ServerResponse): Socket => {
  const takeover = takeoverOf(request);
  if (takeover === null) throw new Error('no takeover');
  response.flushHeaders();
  takeover.accept();
  return takeover.socket;
};

/** A connection that was taken over, from both sides. */
async function takenOver() {
  const sockets: Socket[] = [];
  const listener = await start((request, response) => void sockets.push(accepted(request, response)));
  const caller = await rawSocket(listener.port);
  caller.send(get('/stream'));
  await caller.until('200');
  const [socket] = sockets;
  if (socket === undefined) throw new Error('no connection was taken over');
  return { listener, caller, socket };
}

describe('A connection that may be taken over', () => {
  for (const isAccepted of [true, false])
    it(`closes its response once, ${isAccepted ? 'when it is taken over' : 'after a refusal'}`, async () => {
      let closes = 0;
      const listener = await start((request, response) => {
        response.on('close', () => {
          closes += 1;
        });
        if (isAccepted) accepted(request, response);
        else response.end('not now');
      });
      const caller = await rawSocket(listener.port);
      caller.send(get('/stream'));
      await caller.until(isAccepted ? '200' : 'not now');
      caller.socket.end();
      await caller.closed;
      await listener.stop();
      expect(closes).to.equal(1);
    });

  it('is closed if the client reads nothing, whatever it still sends', async () => {
    let closed: Promise<void> | undefined;
    const listener = await start((request, response) => {
      const socket = accepted(request, response);
      closed = new Promise((done) => void socket.once('close', () => done()));
      socket.write(Buffer.alloc(64 * 1_024 * 1_024));
    });
    const caller = await rawSocket(listener.port);
    caller.send(get('/stream'));
    await caller.until('200');
    caller.socket.pause();
    const sending = setInterval(() => caller.send('x'), UNREAD_MS / 8);
    await closed;
    clearInterval(sending);
    caller.socket.destroy();
    await listener.stop();
  });

  it('has a time limit only while the client has not read everything', async () => {
    const { listener, caller, socket } = await takenOver();
    await until(0, () => socket.timeout);
    caller.socket.pause();
    socket.write(Buffer.alloc(16 * 1_024 * 1_024));
    await until(true, () => (socket.timeout ?? 0) > 0);
    caller.socket.resume();
    const writing = setInterval(() => socket.write('x'), UNREAD_MS / 20);
    await until(0, () => socket.timeout);
    clearInterval(writing);
    expect(socket.destroyed).to.equal(false);
    caller.socket.destroy();
    await listener.stop();
  });

  for (const hasRead of [true, false])
    it(`${hasRead ? 'gets its time limit again' : 'is closed'} at the end of it, if ${hasRead ? 'some' : 'none'} of its data could be written`, async () => {
      const { listener, caller, socket } = await takenOver();
      let reads = 0;
      Object.defineProperty(socket, 'writableLength', {
        get: () => {
          reads += 1;
          return hasRead && reads > 1 ? 1 : 2;
        },
      });
      socket.setTimeout(60_000);
      const limited = sinon.spy(socket, 'setTimeout');
      socket.emit('timeout');
      await until(true, () => limited.called || socket.destroyed);
      expect(limited.calledWith(60_000)).to.equal(hasRead);
      expect(socket.destroyed).to.equal(!hasRead);
      caller.socket.destroy();
      await listener.stop();
    });

  it('reads on when a client that has sent something reads again', async () => {
    let ended: Promise<void> | undefined;
    const listener = await start((request, response) => {
      const socket = accepted(request, response);
      ended = new Promise((done) => void socket.once('close', () => done()));
      socket.write(Buffer.alloc(16 * 1_024 * 1_024));
    });
    const caller = await rawSocket(listener.port);
    caller.send(get('/stream'));
    await caller.until('200');
    caller.socket.pause();
    caller.send('x');
    setTimeout(() => caller.socket.resume(), UNREAD_MS / 8);
    await caller.until('\0'.repeat(1_000));
    caller.socket.end('the end');
    await ended;
    await listener.stop();
  });

  it('handles nothing after a response that was the last one on the connection (RFC 9112, 9.6)', async () => {
    const handled: string[] = [];
    const listener = await start(({ url = '' }, response) => {
      handled.push(url);
      response.setHeader('Connection', 'close');
      response.end('the last');
    });
    const caller = await rawSocket(listener.port);
    caller.send(get('/first') + get('/stream'));
    expect(await caller.all()).to.include('the last');
    await listener.stop();
    expect(handled).to.deep.equal(['/first']);
  });
});
