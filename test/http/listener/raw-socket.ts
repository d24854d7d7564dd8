import { connect, type Socket } from 'node:net';

/** A connection that sends exactly the given text, for requests that no HTTP client would send. */
export async function rawSocket(port: number) {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  const closed = new Promise<void>((done) => {
    socket.once('close', () => done()).on('error', () => {});
  });
  const ended = new Promise<void>((done) => socket.once('end', done).once('close', () => done()));
  const checks = new Set<() => void>();
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    for (const check of checks) check();
  });
  await new Promise<void>((done, fail) => {
    socket.once('connect', done).once('error', fail);
  });
  return {
    socket,
    closed,
    send: (text: string) => void socket.write(text, 'latin1'),
    received: () => received,
    /** Resolves once the text has been received, after the first `from` characters. */
    until: (text: string, from = 0) =>
      new Promise<void>((done) => {
        const check = () => {
          if (!received.includes(text, from)) return;
          checks.delete(check);
          done();
        };
        checks.add(check);
        check();
      }),
    /** Everything received, once the other side has ended the connection. */
    all: async () => {
      await ended;
      socket.destroy();
      return received;
    },
  };
}

export type RawSocket = Awaited<ReturnType<typeof rawSocket>>;
