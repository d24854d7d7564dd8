import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { Connections } from '../../../../src/adapters/http/listener/connections.js';
import { listen } from '../../../../src/adapters/http/listener/server.js';
import { takeoverOf } from '../../../../src/adapters/http/listener/takeover.js';
import { rawSocket } from '../raw-socket.js';

const UNREAD_MS = 200;
/** Every `GET /stream` may take the connection over. */
const start = (handler: RequestListener) =>
  listen(handler, {
    host: '127.0.0.1',
    port: 0,
    headerTimeoutMs: 10_000,
    requestTimeoutMs: 15_000,
    unreadAnswerMs: UNREAD_MS,
    drain: { bytesMax: 1_000_000, deadlineMs: 5_000 },
    connections: new Connections(0),
    onParserError: async (_fault, socket) => void socket.destroy(),
    mayTakeOver: ({ url }) => url === '/stream',
  });
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const accepted = (request: IncomingMessage, response: ServerResponse): Socket => {
  const takeover = takeoverOf(request);
  if (takeover === null) throw new Error('no takeover');
  response.flushHeaders();
  takeover.accept();
  return takeover.socket;
};

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
});
