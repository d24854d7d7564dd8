import { createServer } from 'node:net';

/**
 * Below the ports that Linux (from 32 768) and macOS (from 49 152) give to programs that ask for any port, and to the near ends of
 * connections. Only another program that chooses the same number can take such a port while nothing listens on it.
 */
const [FIRST, LAST] = [20_000, 32_000];

const given = new Set<number>();

/** A port for servers that a test stops and starts again. No other call in this process gets it. */
export async function reservedPort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
