import { once } from 'node:events';
import { createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';

/** What a receiver does with a connection: over TLS, after the handshake. */
export type Behaviour = (socket: Socket) => void;

export type Receiver = {
  readonly port: number;
  /** The connections that were opened so far, and those that are open. */
  readonly opened: () => number;
  readonly open: () => number;
  readonly close: () => Promise<void>;
};

export type ReceiverOptions = {
  readonly host?: string;
  readonly port?: number;
  /** Certificate and key; without them, the receiver has no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
};

/** A server for what HTTP servers of Node do not do: it counts connections, and writes any bytes at any time. */
export async function receiver(behaviour: Behaviour, options: ReceiverOptions = {}): Promise<Receiver> {
  const { host = '127.0.0.1', port = 0, tls } = options;
  const handle = (socket: Socket) => {
    // The other side may close the connection at any time.
    socket.on('error', () => {});
    behaviour(socket);
  };
  const server: Server = tls === undefined ? createPlain(handle) : createTls(tls, handle);
  const sockets = new Set<Socket>();
  let opened = 0;
  server.on('connection', (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(port, host), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    opened: () => opened,
    open: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads requests, and answers each with these bytes as soon as its header was read. */
export const answering =
  (answer: string | ((request: string) => string)): Behaviour =>
  (socket) => {
    socket.on('data', (chunk) => {
      const request = chunk.toString('latin1');
      if (request.includes('\r\n\r\n')) socket.write(typeof answer === 'string' ? answer : answer(request));
    });
  };
