import { connect } from 'node:net';

/** Whether the port of a URL accepts connections on this machine. */
export const isOpen = (url: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket
      .once('connect', () => {
        socket.destroy();
        done(true);
      })
      .once('error', () => done(false));
  });
