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
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { type Binaries, findBinaries } from './postgres-binaries.js';
import { giveTo, type ServerUser, serverUser } from './server-user.js';
import { ENVIRONMENT, isAlive, type Supervised, supervise } from './supervised-process.js';

export type PostgresServer = {
  /** Holds its password. */
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

export type PostgresServerOptions = {
  /** Where its data, its log and its password are kept. */
  readonly folder: string;
  /** False only where data may be lost: then it need not wait for the disk. */
  readonly durable: boolean;
  /** A free one where none is given. */
  readonly port?: number;
  readonly settings?: Readonly<Record<string, string>>;
};

const USER = 'postgres';
/** Kept with the data that it opens; Postgres leaves alone what it does not know. */
const PASSWORD = 'oddswire.password';
/** A server that was killed has its log to go through first. */
const READY_WITHIN_MS = 60_000;
/** One that is on its way out may take this long; one that goes on serving has a service. */
const GONE_WITHIN_MS = 15_000;
const SERVES_STILL_MS = 2_000;
const LOOK_EVERY_MS = 20;
const ATTEMPTS = 30;
const ATTEMPT_EVERY_MS = 200;

/** Starts a private Postgres on 127.0.0.1, with data that stay in its folder from one start to the next. */
export async function startPostgresServer(options: PostgresServerOptions): Promise<PostgresServer> {
  const folder = resolve(options.folder);
  const user = serverUser();
  prepareFolder(folder, user);
  const binaries = findBinaries(user, folder);
  const data = join(folder, 'data');
  if (!existsSync(data)) makeData(binaries, folder, user);
  await untilFree(data, options.folder);
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
    // Another service may have been quicker.
    await untilFree(data, options.folder);
    if (attempt === ATTEMPTS || !PASSING.test(log)) {
      throw new Error(`Postgres did not start in ${options.folder}: ${log.trim()}`);
    }
    await pause(ATTEMPT_EVERY_MS);
  }
}

/** Somebody was quicker at the port; or backends of a server that was killed have not noticed yet. */
const PASSING = /address already in use|shared memory block .* is still in use/i;

const OURS = /^(data|server\.log|native)(\.|$)/;

function prepareFolder(folder: string, user: ServerUser): void {
  // The folders above it are not closed: its user has to come through them.
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const strange = readdirSync(folder).filter((name) => !OURS.test(name));
  if (strange.length > 0) {
    throw new Error(`${folder} holds other files (${strange[0]}): name a folder for Postgres alone`);
  }
  giveTo(folder, user);
  const { status } = spawnSync('sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/' });
  if (status === 0) return;
  throw new Error(
    `the user that Postgres runs as cannot reach ${folder}: name a folder outside of closed ones, ` +
      'or do not run the service as root',
  );
}

/**
 * Made beside its place and moved there whole: a start that was killed leaves nothing half made, and of
 * two at once the first to be done counts. The password goes in first, so that no data are without one.
 */
function makeData({ folder: bin }: Binaries, folder: string, user: ServerUser): void {
  const made = mkdtempSync(join(folder, 'data.unfinished-'));
  giveTo(made, user);
  const [data, password] = [join(made, 'data'), join(made, 'password')];
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
  giveTo(password, user);
  const access = ['-U', USER, '-A', 'scram-sha-256', `--pwfile=${password}`];
  execFileSync(join(bin, 'initdb'), ['-D', data, ...access, '--locale=C', '-E', 'UTF8'], {
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
  rmSync(made, { recursive: true, force: true });
}

/** A server whose service was killed a moment ago is still on its way out. */
async function untilFree(data: string, named: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  for (let waited = 0; existsSync(file); waited += LOOK_EVERY_MS) {
    const { pid, folder, status } = readLock(file);
    // One that stays empty was cut off with the machine: a server writes it in one go.
    const isEmpty = pid === 0 && waited > SERVES_STILL_MS;
    if (isEmpty || !isAlive(pid) || !isServerOf(folder, pid)) {
      rmSync(file, { force: true }); // Its server was killed, and another process may have its number now.
      return;
    }
    if (waited > (status === 'ready' ? SERVES_STILL_MS : GONE_WITHIN_MS)) {
      throw new Error(`another service is using the Postgres in ${named}`);
    }
    await pause();
  }
}

/** What a server says of itself in the file that locks its data: who it is, and in the eighth line how it is. */
function readLock(file: string): { readonly pid: number; readonly folder: string; readonly status: string } {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return { pid: Number(lines[0]), folder: lines[1] ?? '', status: lines[7]?.trim() ?? '' };
}

/** Unless the machine can say that it is not: what cannot be known counts as one. */
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
    // Others on the machine could come in by a socket; those who know the password come by the port.
    unix_socket_directories: '',
    ...(durable ? {} : UNSAFE),
    ...settings,
  };
  const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return supervise([join(bin, 'postgres'), '-D', join(folder, 'data'), '-p', String(port), ...given], {
    folder,
    log: join(folder, 'server.log'),
    signal: 'INT',
    user,
  });
}

async function isReady(server: Supervised, data: string): Promise<boolean> {
  const file = join(data, 'postmaster.pid');
  for (let waited = 0; waited < READY_WITHIN_MS && server.isRunning(); waited += LOOK_EVERY_MS) {
    const { pid, status } = readLock(file);
    if (pid === server.pid && status === 'ready') return true;
    await pause();
  }
  return false;
}

const pause = (ms = LOOK_EVERY_MS) => new Promise((done) => setTimeout(done, ms));

export const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
