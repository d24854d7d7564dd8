import { connect, type Socket } from 'node:net';

/** Addresses of one /24 on this machine, 127.0.0.2 to 127.0.0.9: strangers. */
const ADDRESSES = Array.from({ length: 8 }, (_, i) => `127.0.0.${i + 2}`);

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n';

/** What each kind of stranger sends before it holds its connection open. */
const OPENINGS = {
  'unfinished webhook': 'POST /webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n',
  'unfinished form of the dashboard': `POST /dashboard/sign-in HTTP/1.1\r\nHost: localhost\r\n${FORM}`,
  'unfinished form of the console': `POST /operator/sign-in HTTP/1.1\r\nHost: localhost\r\n${FORM}`,
  'mute socket': '',
  'header dripper': 'GET /pm/v2/news HTTP/1.1\r\nHost: localhost\r\n',
  'non-reader': 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(12),
} as const;

export type Stranger = keyof typeof OPENINGS;

const DRIP_EVERY_MS = 500;

/** Opens so many connections of each kind to a port, and holds them open until it is told to let go. */
export async function strangers(
  port: number,
  kinds: Readonly<Record<Stranger, number>>,
): Promise<{ readonly count: number; readonly open: () => number; readonly letGo: () => void }> {
  const sockets: Socket[] = [];
  const dripping: Socket[] = [];
  const connected: Promise<unknown>[] = [];
  for (const [kind, count] of Object.entries(kinds) as [Stranger, number][]) {
    for (let i = 0; i < count; i += 1) {
      const localAddress = ADDRESSES[i % ADDRESSES.length] ?? '';
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => {});
      connected.push(new Promise((done) => socket.once('connect', done).once('close', done)));
      if (kind === 'non-reader') socket.pause();
      else socket.resume();
      socket.write(OPENINGS[kind]);
      if (kind === 'header dripper') dripping.push(socket);
      sockets.push(socket);
    }
  }
  const timer = setInterval(() => {
    for (const socket of dripping) if (socket.writable) socket.write('x: y\r\n');
  }, DRIP_EVERY_MS);
  await Promise.all(connected);
  return {
    count: sockets.length,
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    letGo: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
