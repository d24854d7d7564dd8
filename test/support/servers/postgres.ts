import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  type PostgresServer,
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
  readonly parent?: string;
  readonly settings?: Readonly<Record<string, string>>;
};

/** Starts a Postgres with its data in a new folder under `parent`. */
export async function startTestPostgres({
  durable = false,
  parent: under = tmpdir(),
  settings: own = {},
}: Options = {}): Promise<TestPostgres> {
  const parent = mkdtempSync(join(under, 'oddswire-pg-'));
  chmodSync(parent, 0o755);
  const folder = join(parent, 'postgres');
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

/** Creates a database on a server and returns its URL. */
export async function freshDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  created.push({ server: serverUrl, name });
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
