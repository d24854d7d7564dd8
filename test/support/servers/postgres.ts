import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../src/adapters/postgres/migrate.js';
import {
  type PostgresServer,
  preparePostgres,
  startPostgresServer,
} from '../../../src/adapters/postgres-server/postgres-server.js';
import { type Faults, faultsOf } from '../service/process-tree.js';
import { reservedPort } from './reserved-port.js';

/** A Postgres that a test can freeze, kill and restart. */
export type TestPostgres = Faults & {
  readonly url: string;
  readonly origin: string;
  readonly folder: string;
  /** Restarts it on the same port with the same data. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type Options = {
  readonly durable?: boolean;
  /** Has an identifier that no other server has. The other servers of a run are copies, with one identifier. */
  readonly isUnrelated?: boolean;
  readonly parent?: string;
  readonly settings?: Readonly<Record<string, string>>;
};

/** Starts a Postgres with its data in a new folder under `parent`. */
export async function startTestPostgres({
  durable = false,
  isUnrelated = false,
  parent: under = tmpdir(),
  settings: own = {},
}: Options = {}): Promise<TestPostgres> {
  const parent = readableFolder(join(under, 'oddswire-pg-'));
  const folder = join(parent, 'postgres');
  if (!isUnrelated) copyData(folder);
  const settings = { max_connections: '300', ...own };
  const options = { folder, durable, settings, port: await reservedPort() };
  let server: PostgresServer = await startPostgresServer(options);
  const { url, origin } = server;
  const faults = faultsOf(() => server.pid);
  return {
    ...faults,
    url,
    origin,
    folder,
    restart: async () => {
      await server.stop();
      server = await startPostgresServer(options);
    },
    stop: async () => {
      await faults.thaw();
      await server.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** The folder of the run, which `scripts/test.mjs` removes; a process that it has not started has its own. */
const runFolder = process.env['TEST_RUN_FOLDER'] ?? ownFolder();

function ownFolder(): string {
  const folder = readableFolder(join(tmpdir(), 'oddswire-run-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder through which the user that Postgres runs as can pass. */
function readableFolder(prefix: string): string {
  const folder = mkdtempSync(prefix);
  chmodSync(folder, 0o755);
  return folder;
}

/** Copies the data that all servers of a run start with: creating them takes a third of a second of CPU. */
function copyData(folder: string): void {
  const source = join(runFolder, 'postgres-data');
  if (!existsSync(source)) {
    const unfinished = join(readableFolder(`${source}-`), 'postgres');
    preparePostgres({ folder: unfinished, durable: false });
    try {
      renameSync(unfinished, source);
    } catch (fault) {
      if (!existsSync(source)) throw fault; // Another process was faster.
    }
  }
  execFileSync('cp', ['-a', source, folder]);
}

const created: { readonly server: string; readonly name: string }[] = [];

/** Drops the databases that this run created on a server. */
export async function dropDatabases(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  for (const { name } of created.filter((one) => one.server === server)) {
    await client.query(`drop database ${name} with (force)`);
  }
  await client.end();
}

/** Creates an empty database on a server and returns its URL. */
export const emptyDatabase = (server: string): Promise<string> => createDatabase(server, 'template1');

/** The databases that are copied: one for each server. */
const migrated = new Map<string, Promise<string>>();

/** Creates a database with all tables, empty, and returns its URL: copying it takes a quarter of the time of its migrations. */
export async function freshDatabase(server: string): Promise<string> {
  const source = migrated.get(server) ?? migratedDatabase(server);
  migrated.set(server, source);
  return createDatabase(server, nameOf(await source));
}

async function migratedDatabase(server: string): Promise<string> {
  const url = await emptyDatabase(server);
  await migrate(url);
  return url;
}

async function createDatabase(server: string, source: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  created.push({ server, name });
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name} template ${source}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
