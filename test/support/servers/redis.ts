import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient } from 'redis';
import { onPath } from '../../../src/adapters/postgres-server/postgres-binaries.js';
import { freePort } from '../../../src/adapters/postgres-server/postgres-server.js';
import { type Supervised, supervise } from '../../../src/adapters/postgres-server/supervised-process.js';
import { type Faults, faultsOf } from '../service/process-tree.js';

/** A Redis without persistence that a test can freeze, kill and restart. */
export type TestRedis = Faults & {
  readonly url: string;
  readonly origin: string;
  /** Restarts it empty on the same port. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type Program = { readonly file: string; readonly origin: string; readonly environment: NodeJS.ProcessEnv };

export async function startTestRedis(settings: readonly string[] = []): Promise<TestRedis> {
  const program = findRedis();
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-redis-'));
  const port = await freePort();
  let server = await launch(program, folder, port, settings);
  const faults = faultsOf(() => server.pid);
  return {
    ...faults,
    url: `redis://127.0.0.1:${port}`,
    origin: program.origin,
    restart: async () => {
      await server.stop();
      server = await launch(program, folder, port, settings);
    },
    stop: async () => {
      await faults.thaw();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a cluster of three masters. */
export async function startTestRedisCluster(): Promise<{
  readonly urls: readonly string[];
  readonly nodes: readonly TestRedis[];
  readonly stop: () => Promise<void>;
}> {
  const servers = await Promise.all(
    [0, 1, 2].map(() => startTestRedis(['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'])),
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
    if (i > 0) await client.sendCommand(['CLUSTER', 'MEET', first.hostname, first.port]);
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
  const options = { folder, log: join(folder, 'server.log'), signal: 'TERM', user: {}, environment } as const;
  const server = await supervise([file, ...own, ...settings], options);
  while (!(await isOpen(port))) {
    if (!server.isRunning()) throw new Error(`Redis did not start: ${server.log()}`);
    await pause();
  }
  return server;
}

function findRedis(): Program {
  const given = process.env['REDIS_SERVER_BIN'];
  if (given) return { file: given, origin: 'REDIS_SERVER_BIN', environment: {} };
  for (const name of ['redis-server', 'valkey-server']) {
    const [folder] = onPath(name);
    if (folder !== undefined) return { file: name, origin: `system (${name})`, environment: {} };
  }
  const unpacked = ofDistribution(resolve('.cache', 'redis'));
  if (unpacked !== undefined) return unpacked;
  throw new Error(
    'no Redis was found for the tests: set REDIS_URL, or install one with `apt-get install redis-server` ' +
      'or `brew install redis`',
  );
}

/** On Debian and Ubuntu, downloads missing packages and unpacks them into a folder, without root. */
function ofDistribution(root: string): Program | undefined {
  const file = join(root, 'usr/bin/redis-server');
  if (!existsSync(file)) {
    if (onPath('apt-get').length === 0 || onPath('dpkg-deb').length === 0) return undefined;
    mkdirSync(root, { recursive: true });
    const folder = mkdtempSync(join(tmpdir(), 'oddswire-debs-'));
    const loading = spawnSync('apt-get', ['-o', 'APT::Sandbox::User=', 'download', ...packages()], {
      cwd: folder,
    });
    if (loading.status === 0) {
      for (const name of readdirSync(folder)) execFileSync('dpkg-deb', ['-x', join(folder, name), root]);
    }
    rmSync(folder, { recursive: true, force: true });
  }
  const libraries = ['x86_64', 'aarch64']
    .map((kind) => join(root, `usr/lib/${kind}-linux-gnu`))
    .filter(existsSync);
  const environment = { LD_LIBRARY_PATH: libraries.join(':') };
  return existsSync(file)
    ? { file, origin: 'packages of the distribution in .cache', environment }
    : undefined;
}

function packages(): readonly string[] {
  const wanted = ['install', '-s', '--no-install-recommends', 'redis-server'];
  const { stdout } = spawnSync('apt-get', wanted, { encoding: 'utf8' });
  const missing = [...(stdout ?? '').matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
  return missing.length > 0 ? missing : ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'];
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
