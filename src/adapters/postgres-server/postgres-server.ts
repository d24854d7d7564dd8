import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { type Binaries, findBinaries } from './postgres-binaries.js';
import { giveTo, type ServerUser, serverUser } from './server-user.js';
import { ENVIRONMENT, isAlive, type Supervised, supervise } from './supervised-process.js';

export type PostgresServer = {
  /** Contains the password. */
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

export type PostgresServerOptions = {
  /** The folder for data, log and password. */
  readonly folder: string;
  /** False only if data may be lost: then Postgres does not wait for the disk. */
  readonly durable: boolean;
  /** Default: a free port. */
  readonly port?: number;
  readonly settings?: Readonly<Record<string, string>>;
};

const USER = 'postgres';
/** In the data folder. Postgres ignores files that it does not know. */
const PASSWORD = 'oddswire.password';
/** Long, because a killed server first recovers from its write-ahead log. */
const READY_WITHIN_MS = 60_000;
/** The time that a server which is shutting down may take. */
const STOPPED_WITHIN_MS = 15_000;
/** A server that is still ready after this time belongs to a running service. */
const STILL_READY_MS = 2_000;
const POLL_EVERY_MS = 20;
const ATTEMPTS = 30;
const ATTEMPT_EVERY_MS = 200;

/**
 * Starts a private Postgres on 127.0.0.1. Its data stay in its folder between starts. Throws if the folder cannot be used,
 * if another service uses it, or if Postgres does not start.
 */
export async function startPostgresServer(options: PostgresServerOptions): Promise<PostgresServer> {
  const { folder, user, binaries } = preparePostgres(options);
  const data = join(folder, 'data');
  await untilUnlocked(data, options.folder);
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const server = await launch(binaries, folder, user, port, options);
    if (await isReady(server, data)) {
      const password = readFileSync(join(data, PASSWORD), 'utf8');
      const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
      return { url, origin: binaries.origin, port, pid: server.pid, stop: server.stop };
    }
    await server.stop();
    const log = server.log();
    // Another service may have started a server on the same data first.
    await untilUnlocked(data, options.folder);
    if (attempt === ATTEMPTS || !TEMPORARY.test(log)) {
      throw new Error(`Postgres did not start in ${options.folder}: ${log.trim()}`);
    }
    await pause(ATTEMPT_EVERY_MS);
  }
}

type Prepared = { readonly folder: string; readonly user: ServerUser; readonly binaries: Binaries };

/** Makes the folder of a server, with its data unless it has some. Starts nothing. Throws if the folder cannot be used. */
export function preparePostgres({
  folder: given,
  durable,
}: Pick<PostgresServerOptions, 'folder' | 'durable'>): Prepared {
  const folder = resolve(given);
  const user = serverUser();
  prepareFolder(folder, user);
  const binaries = findBinaries(user, folder);
  if (!existsSync(join(folder, 'data'))) createData(binaries, folder, user, durable);
  return { folder, user, binaries };
}

/** Errors worth a retry: another process took the port first, or backends of a killed server still run. */
const TEMPORARY = /address already in use|shared memory block .* is still in use/i;

const OWN_FILES = /^(data|server\.log|native)(\.|$)/;

function prepareFolder(folder: string, user: ServerUser): void {
  // Created without a mode: the server's user must be able to pass through the parent folders.
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const otherFiles = readdirSync(folder).filter((name) => !OWN_FILES.test(name));
  if (otherFiles.length > 0) {
    throw new Error(`${folder} contains other files (${otherFiles[0]}): name a folder for Postgres alone`);
  }
  giveTo(folder, user);
  const { status } = spawnSync('sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/' });
  if (status === 0) return;
  throw new Error(
    `the user that Postgres runs as cannot reach ${folder}: name a folder that this user can open, ` +
      'or do not run the service as root',
  );
}

/**
 * Creates the data in a temporary folder and renames it at the end: a killed start leaves no incomplete data, and of two
 * concurrent starts the first to finish wins. The password is moved in before, so that data never exist without it.
 */
function createData({ folder: bin }: Binaries, folder: string, user: ServerUser, durable: boolean): void {
  const unfinished = mkdtempSync(join(folder, 'data.unfinished-'));
  giveTo(unfinished, user);
  const [data, password] = [join(unfinished, 'data'), join(unfinished, 'password')];
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
  giveTo(password, user);
  const access = ['-U', USER, '-A', 'scram-sha-256', `--pwfile=${password}`];
  const sync = durable ? [] : ['--no-sync'];
  execFileSync(join(bin, 'initdb'), ['-D', data, ...access, ...sync, '--locale=C', '-E', 'UTF8'], {
    ...user,
    cwd: folder,
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  renameSync(password, join(data, PASSWORD));
  try {
    renameSync(data, join(folder, 'data'));
  } catch (fault) {
    if (!existsSync(join(folder, 'data'))) throw fault;
  }
  rmSync(unfinished, { recursive: true, force: true });
}

/** Waits for the server of a service that was just killed: it is still shutting down. Throws if the data stay in use. */
async function untilUnlocked(data: string, shownFolder: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  for (let waited = 0; existsSync(file); waited += POLL_EVERY_MS) {
    const { pid, folder, status } = readLock(file);
    // A server writes this file at once. If it stays empty, the machine crashed during the write.
    const isEmpty = pid === 0 && waited > STILL_READY_MS;
    if (isEmpty || !isAlive(pid) || !isServerOf(folder, pid)) {
      rmSync(file, { force: true }); // The server was killed. Its process id may now be another process.
      return;
    }
    if (waited > (status === 'ready' ? STILL_READY_MS : STOPPED_WITHIN_MS)) {
      throw new Error(`another service is using the Postgres in ${shownFolder}`);
    }
    await pause();
  }
}

/** Reads the lock file that a server writes into its data folder. The eighth line is its status. */
function readLock(file: string): { readonly pid: number; readonly folder: string; readonly status: string } {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return { pid: Number(lines[0]), folder: lines[1] ?? '', status: lines[7]?.trim() ?? '' };
}

/** Whether a process is the server of this data folder. True if the system cannot tell. */
function isServerOf(folder: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder);
  } catch {
    return true;
  }
}

const UNSAFE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

function launch(
  { folder: bin }: Binaries,
  folder: string,
  user: ServerUser,
  port: number,
  { durable, settings = {} }: PostgresServerOptions,
): Promise<Supervised> {
  const all = {
    listen_addresses: '127.0.0.1',
    // No socket: other users of the machine could connect through it. The port requires the password.
    unix_socket_directories: '',
    ...(durable ? {} : UNSAFE),
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return supervise([join(bin, 'postgres'), '-D', join(folder, 'data'), '-p', String(port), ...flags], {
    folder,
    log: join(folder, 'server.log'),
    signal: 'INT',
    user,
  });
}

async function isReady(server: Supervised, data: string): Promise<boolean> {
  const file = join(data, 'postmaster.pid');
  for (let waited = 0; waited < READY_WITHIN_MS && server.isRunning(); waited += POLL_EVERY_MS) {
    const { pid, status } = readLock(file);
    if (pid === server.pid && status === 'ready') return true;
    await pause();
  }
  return false;
}

const pause = (ms = POLL_EVERY_MS) => new Promise((done) => setTimeout(done, ms));

const freePort = async (): Promise<number> => (await freePorts(1))[0] ?? 0;

/** Different ports that no process uses now: all are open at the same time before they are closed. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, openServer));
  const ports = servers.map((server) => {
    const address = server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

const openServer = (): Promise<Server> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => done(server));
  });
