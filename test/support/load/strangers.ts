import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Local addresses in one /24, from which the unauthenticated clients connect. */
const ADDRESSES = Array.from({ length: 7 }, (_, i) => `127.0.0.${i + 2}`);
/** Has fewer than `CONNECTIONS_PER_ADDRESS` connections, so that the service closes none for newer ones. */
const NON_READERS = ['127.0.0.9'];

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n';

/** The first bytes that each kind of client sends before it holds its connection open. */
const OPENINGS = {
  'unfinished webhook': 'POST /webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n',
  'unfinished form of the dashboard': `POST /dashboard/sign-in HTTP/1.1\r\nHost: localhost\r\n${FORM}`,
  'unfinished form of the console': `POST /operator/sign-in HTTP/1.1\r\nHost: localhost\r\n${FORM}`,
  'mute socket': '',
  'header dripper': 'GET /pm/v2/news HTTP/1.1\r\nHost: localhost\r\n',
  'non-reader': '',
} as const;

/**
 * A non-reader requests 5.4 MB: the kernel buffers 4.1 MB for a connection (`net.ipv4.tcp_wmem`), and the rest blocks
 * the writes of the service. It sends ten requests at a time, because a client that sends more is disconnected.
 */
const UNREAD_ROUNDS = 5;
const UNREAD_ROUND = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10);
const BETWEEN_ROUNDS_MS = 800;

export type Stranger = keyof typeof OPENINGS;

const DRIP_EVERY_MS = 500;

/** Opens the given number of connections of each kind to a port, and holds them open until `letGo`. */
export async function strangers(
  port: number,
  kinds: Readonly<Record<Stranger, number>>,
): Promise<{ readonly count: number; readonly open: () => number; readonly release: () => void }> {
  const sockets: Socket[] = [];
  const connected = (kind: Stranger): Promise<Socket[]> =>
    Promise.all(Array.from({ length: kinds[kind] }, (_, i) => stranger(i, kind)));
  const stranger = async (i: number, kind: Stranger) => {
    const addresses = kind === 'non-reader' ? NON_READERS : ADDRESSES;
    const localAddress = addresses[i % addresses.length] ?? '';
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    if (kind === 'non-reader') socket.pause();
    else socket.resume();
    socket.write(OPENINGS[kind]);
    await new Promise((done) => socket.once('connect', done).once('close', done));
    return socket;
  };

  // Non-readers connect first: the others have deadlines of seconds, and all must be open at the same time.
  const unread = await connected('non-reader');
  for (let round = 0; round < UNREAD_ROUNDS; round += 1) {
    for (const socket of unread) socket.write(UNREAD_ROUND);
    await setTimeout(BETWEEN_ROUNDS_MS);
  }
  const dripping = await connected('header dripper');
  const drip = setInterval(() => {
    for (const socket of dripping) if (socket.writable) socket.write('x: y\r\n');
  }, DRIP_EVERY_MS);
  const others = (Object.keys(kinds) as Stranger[]).filter(
    (kind) => kind !== 'non-reader' && kind !== 'header dripper',
  );
  await Promise.all(others.map(connected));
  return {
    count: sockets.length,
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    release: () => {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}
