import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { onPath } from '../../../src/adapters/postgres-server/postgres-binaries.js';
import { type Supervised, supervise } from '../../../src/adapters/postgres-server/supervised-process.js';
import { distributionProgram, type Program } from '../packages/distribution-program.js';
import { type Faults, faultsOf } from '../service/process-tree.js';
import { reservedPort } from './reserved-port.js';

/** A Redis without persistence that a test can freeze, kill and restart. */
export type TestRedis = Faults & {
  readonly url: string;
  /** For a server with a certificate (`--tls-cert-file`), which is for `localhost`. It has both ports. */
  readonly tlsUrl: string | null;
  readonly origin: string;
  /** Restarts it empty on the same port. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const CONFIGURATION = 'redis.conf';

/** `file` are the lines of its configuration file, without which a Sentinel does not start. */
export async function startTestRedis(
  settings: readonly string[] = [],
  file: readonly string[] = [],
): Promise<TestRedis> {
  const program = findRedis();
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-redis-'));
  const port = await reservedPort();
  if (file.length > 0) writeFileSync(join(folder, CONFIGURATION), file.map((line) => `${line}\n`).join(''));
  const tlsPort = settings.includes('--tls-cert-file') ? await reservedPort() : null;
  const all = tlsPort === null ? settings : [...settings, '--tls-port', String(tlsPort)];
  let server = await launch(program, folder, port, all);
  const faults = faultsOf(() => server.pid);
  return {
    ...faults,
    url: `redis://127.0.0.1:${port}`,
    tlsUrl: tlsPort === null ? null : `rediss://localhost:${tlsPort}`,
    origin: program.origin,
    restart: async () => {
      await server.stop();
      server = await launch(program, folder, port, all);
    },
    stop: async () => {
      await faults.thaw();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** By default the nodes use the port of a node plus 10 000 between each other: above 55 535 there is none. */
export const clusterSettings = (busPort: number): readonly string[] => [
  ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'],
  ...['--cluster-port', String(busPort)],
];

export type TestRedisCluster = {
  readonly urls: readonly string[];
  readonly nodes: readonly TestRedis[];
  /** The first port for messages between the nodes, for nodes that are added. */
  readonly busPort: number;
  readonly stop: () => Promise<void>;
};

/** Starts a cluster of three masters. `firstOnly` are settings of the first node. */
export async function startTestRedisCluster(
  firstOnly: readonly string[] = [],
  settings: readonly string[] = [],
): Promise<TestRedisCluster> {
  const busPorts = await Promise.all([reservedPort(), reservedPort(), reservedPort()]);
  const servers = await Promise.all(
    busPorts.map((busPort, i) =>
      startTestRedis([...clusterSettings(busPort), ...settings, ...(i === 0 ? firstOnly : [])]),
    ),
  );
  const urls = servers.map(({ url }) => url);
  const clients = await Promise.all(
    urls.map(async (url) => {
      const client = createClient({ url });
      await client.connect();
      return client;
    }),
  );
  const first = new URL(urls[0] ?? '');
  for (const [i, client] of clients.entries()) {
    const [from, to] = [Math.ceil((16_384 * i) / 3), Math.ceil((16_384 * (i + 1)) / 3) - 1];
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', String(from), String(to)]);
    if (i > 0) await client.sendCommand(['CLUSTER', 'MEET', first.hostname, first.port, String(busPorts[0])]);
  }
  for (const client of clients) {
    while (!String(await client.sendCommand(['CLUSTER', 'INFO'])).includes('cluster_state:ok')) await pause();
    while (!/cluster_known_nodes:3/.test(String(await client.sendCommand(['CLUSTER', 'INFO']))))
      await pause();
    client.destroy();
  }
  return {
    urls,
    nodes: servers,
    busPort: busPorts[0],
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

async function launch(
  { file, environment }: Program,
  folder: string,
  port: number,
  settings: readonly string[],
): Promise<Supervised> {
  const own = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  const configuration = existsSync(join(folder, CONFIGURATION)) ? [join(folder, CONFIGURATION)] : [];
  const options = { folder, log: join(folder, 'server.log'), signal: 'TERM', user: {}, environment } as const;
  const server = await supervise([file, ...configuration, ...own, ...settings], options);
  while (!(await isOpen(port))) {
    if (!server.isRunning()) throw new Error(`Redis did not start: ${server.log()}`);
    await pause();
  }
  return server;
}

function findRedis(): Program {
  const given = process.env['REDIS_SERVER_BIN'];
  if (given) return { file: given, origin: 'REDIS_SERVER_BIN', environment: {} };
  const [valkey] = onPath('redis-server').length === 0 ? onPath('valkey-server') : [];
  if (valkey !== undefined)
    return { file: 'valkey-server', origin: 'system (valkey-server)', environment: {} };
  const found = distributionProgram({
    name: 'redis-server',
    inPackage: 'redis-server',
    path: 'usr/bin/redis-server',
  });
  if (found !== undefined) return found;
  throw new Error(
    'no Redis was found for the tests: set REDIS_URL, or install one with `apt-get install redis-server` ' +
      'or `brew install redis`',
  );
}

const pause = () => new Promise((done) => setTimeout(done, 20));

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
