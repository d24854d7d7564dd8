import type { RequestListener } from 'node:http';
import { Connections } from '../../../src/adapters/http/listener/connections.js';
import { type Listener, type ListenerSettings, listen } from '../../../src/adapters/http/listener/server.js';

/** Listens on a free port with the limits of the service. `changes` are the settings that a test is about. */
export const testListener = (
  handler: RequestListener,
  changes: Partial<ListenerSettings> = {},
): Promise<Listener> =>
  listen(handler, {
    host: '127.0.0.1',
    port: 0,
    headerTimeoutMs: 10_000,
    requestTimeoutMs: 15_000,
    unreadAnswerMs: 30_000,
    keepAliveMs: 65_000,
    drain: { bytesMax: 1_000_000, deadlineMs: 5_000 },
    connections: new Connections(0),
    onParserError: async (_fault, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ...changes,
  });
