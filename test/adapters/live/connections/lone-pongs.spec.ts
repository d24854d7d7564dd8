import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import sinon from 'sinon';
import { readLonePongs } from '../../../../src/adapters/live/connections/lone-pongs.js';
import type { WebSocketClient } from '../../../../src/adapters/live/connections/stream-websocket.js';

const CONTENT = Buffer.from([1, 2, 3, 250]);
const MASK = [9, 8, 255, 6];

const frame = (first: number, second: number, content: Buffer): Buffer =>
  Buffer.from([first, second, ...MASK, ...content.map((byte, i) => byte ^ (MASK[i % 4] ?? 0))]);
const PONG = frame(0x8a, 0x84, CONTENT);

describe('The pongs of a client that sends nothing else', () => {
  const opened = () => {
    const socket = new PassThrough();
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    const client = { pong: sinon.spy() };
    readLonePongs(socket as unknown as Socket, client as unknown as WebSocketClient);
    return { socket, client, received };
  };

  it('reach the client with their content, without the receiver', () => {
    const { socket, client, received } = opened();
    socket.write(PONG);
    socket.write(PONG);
    expect(client.pong.args).to.deep.equal([[CONTENT], [CONTENT]]);
    expect(received).to.deep.equal([]);
  });

  for (const [name, data] of [
    ['a text', frame(0x81, 0x84, CONTENT)],
    ['a close frame', frame(0x88, 0x84, CONTENT)],
    ['a pong that is not the last frame of a message', frame(0x0a, 0x84, CONTENT)],
    ['a pong with a reserved bit', frame(0xca, 0x84, CONTENT)],
    ['a pong without a mask', frame(0x8a, 0x04, CONTENT)],
    ['a pong of another length', frame(0x8a, 0x83, CONTENT.subarray(1))],
    ['the first half of a pong', PONG.subarray(0, 5)],
    ['a pong and more', Buffer.concat([PONG, PONG])],
  ] as const) {
    it(`end with ${name}: the receiver gets it, and everything after it`, () => {
      const { socket, client, received } = opened();
      socket.write(PONG);
      for (const chunk of [data, PONG]) socket.write(chunk);
      expect(received).to.deep.equal([data, PONG]);
      expect(client.pong.callCount).to.equal(1);
    });
  }

  it('are not read after the connection is closed', () => {
    const { socket, client } = opened();
    socket.emit('close');
    socket.emit('data', PONG);
    expect(client.pong.callCount).to.equal(0);
  });

  it('are left to the receiver if something else reads the connection too', () => {
    const socket = new PassThrough().on('data', () => {}).on('data', () => {});
    const client = { pong: sinon.spy() };
    readLonePongs(socket as unknown as Socket, client as unknown as WebSocketClient);
    socket.write(PONG);
    expect(client.pong.callCount).to.equal(0);
  });
});
