import { expect } from 'chai';
import sinon from 'sinon';
import {
  StreamWebSocket,
  type WebSocketClient,
} from '../../../../src/adapters/live/connections/stream-websocket.js';

describe('The events of a WebSocket', () => {
  const opened = () => {
    // As the server makes it.
    const webSocket = Reflect.construct(StreamWebSocket, [
      null,
      undefined,
      { autoPong: true },
    ]) as StreamWebSocket;
    const client = {
      message: sinon.spy(),
      ping: sinon.spy(),
      pong: sinon.spy(),
      fault: sinon.spy(),
      closed: sinon.spy(),
    } satisfies WebSocketClient;
    return { webSocket, client };
  };

  for (const [event, method, given, passed] of [
    ['message', 'message', [Buffer.from('{}'), false], [Buffer.from('{}'), false]],
    ['ping', 'ping', [Buffer.from('1')], []],
    ['pong', 'pong', [Buffer.from('1')], [Buffer.from('1')]],
    ['error', 'fault', [new RangeError('a wrong frame')], [new RangeError('a wrong frame')]],
    ['close', 'closed', [1_000, Buffer.from('')], [1_000]],
  ] as const) {
    it(`reach its client: ${event}`, () => {
      const { webSocket, client } = opened();
      webSocket.setClient(client);
      webSocket.emit(event, ...given);
      expect(client[method].args).to.deep.equal([passed]);
      const others = Object.entries(client).filter(([name]) => name !== method);
      expect(others.map(([, { callCount }]) => callCount)).to.deep.equal([0, 0, 0, 0]);
    });
  }

  it('reach listeners after the client at the end, which notes the reason', () => {
    const { webSocket, client } = opened();
    webSocket.setClient(client);
    const listener = sinon.spy();
    webSocket.on('close', listener).emit('close', 1_000, Buffer.from(''));
    expect(listener.calledOnce && listener.calledAfter(client.closed)).to.equal(true);
  });

  it('go to listeners while it has no client', () => {
    const { webSocket } = opened();
    const listener = sinon.spy();
    webSocket.on('message', listener).emit('message', Buffer.from('{}'), false);
    expect(listener.calledOnceWithExactly(Buffer.from('{}'), false)).to.equal(true);
  });
});
