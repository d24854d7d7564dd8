import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import sinon from 'sinon';
import { WebSocket } from 'ws';
import { SharedMessages } from '../../../../src/adapters/fast-paths/shared-messages.js';
import { StreamWebSocket } from '../../../../src/adapters/live/connections/stream-websocket.js';
import { UnansweredPings } from '../../../../src/adapters/live/connections/unanswered-pings.js';
import { WebSocketSink } from '../../../../src/adapters/live/connections/websocket-sink.js';
import { contentOf } from '../../../../src/adapters/live/messages/content.js';
import { Message } from '../../../../src/adapters/live/messages/message.js';
import { tokenIn } from '../../../support/live/stored-changes.js';

const ITEM = new Message('item', tokenIn(1), contentOf({ id: 'i1' }));
const HEARTBEAT = new Message('heartbeat', tokenIn(1), contentOf({}));
const TWO = new SharedMessages([ITEM, new Message('item', tokenIn(2), contentOf({ id: 'i2' }))]);

describe('The connection of a WebSocket', () => {
  afterEach(() => sinon.restore());

  const opened = () => {
    // As the server makes it.
    const webSocket = Reflect.construct(StreamWebSocket, [
      null,
      undefined,
      { autoPong: true },
    ]) as StreamWebSocket;
    Object.defineProperty(webSocket, 'readyState', { value: webSocket.OPEN });
    const socket = new PassThrough();
    const pings = new UnansweredPings(webSocket);
    const sink = new WebSocketSink(webSocket, socket as unknown as Socket, pings);
    return { webSocket, socket, pings, sink };
  };
  const bytesOf = (socket: PassThrough) => (socket.read() as Buffer | null)?.length ?? 0;

  it('writes nothing after a close frame, whoever began to close (RFC 6455, 5.5.1)', () => {
    const close = sinon.stub(WebSocket.prototype, 'close');
    const { webSocket, socket, pings, sink } = opened();
    const sent = sinon.spy(pings, 'sent');
    expect(sink.send([ITEM])).to.equal(true);
    expect(bytesOf(socket)).to.be.above(0);
    webSocket.close(1_000);
    expect(close.calledOnceWithExactly(1_000, undefined)).to.equal(true);
    expect([sink.isWritable, sink.send([ITEM]), sink.send([HEARTBEAT])]).to.deep.equal([false, false, false]);
    sink.sendShared(TWO);
    sink.whenWritable(() => expect.fail('it is not writable again'));
    expect([bytesOf(socket), sent.callCount]).to.deep.equal([0, 0]);
  });

  it('writes changes that many streams are sent as one frame', () => {
    const { socket, sink } = opened();
    sink.sendShared(TWO);
    expect(socket.read()).to.deep.equal(TWO.frame('ws'));
    expect(sink.bytes).to.equal(TWO.frame('ws').length);
  });

  it('awaits the answer to the ping that follows a heartbeat', () => {
    const { socket, pings, sink } = opened();
    const sent = sinon.spy(pings, 'sent');
    sink.send([ITEM, HEARTBEAT]);
    expect(socket.read()).to.deep.equal(Buffer.concat([ITEM.frame('ws'), HEARTBEAT.frame('ws')]));
    expect(sent.args).to.deep.equal([[HEARTBEAT.ping]]);
  });

  it('leaves a socket alone that has ended, until it is closed', async () => {
    const { socket, sink } = opened();
    const fault = sinon.spy();
    socket.on('error', fault).end();
    sink.whenWritable(() => expect.fail('it is not writable again'));
    expect(sink.send([ITEM])).to.equal(false);
    await new Promise((done) => setImmediate(done));
    expect([fault.callCount, socket.destroyed]).to.deep.equal([0, false]);
  });
});
