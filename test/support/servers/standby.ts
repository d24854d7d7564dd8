import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer } from '../../../src/adapters/postgres-server/postgres-server.js';
import { giveTo, serverUser } from '../../../src/adapters/postgres-server/server-user.js';
import type { TestPostgres } from './postgres.js';

/** A streaming replica of a test server whose replay a test can pause. */
export type Standby = {
  readonly url: string;
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Resolves when the replica has replayed everything that the primary has written so far. */
  readonly caughtUp: () => Promise<void>;
  /** Ends the replication: it accepts writes then. */
  readonly promote: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Starts it from a copy of the primary's files, because the npm package has no `pg_basebackup`. */
export async function startStandby(primary: TestPostgres): Promise<Standby> {
  const parent = mkdtempSync(join(tmpdir(), 'oddswire-standby-'));
  chmodSync(parent, 0o755);
  const folder = join(parent, 'postgres');
  await backup(primary, folder);
  const server = await startPostgresServer({
    folder,
    durable: false,
    settings: { max_connections: '300', hot_standby: 'on', primary_conninfo: conninfo(primary.url) },
  });
  const ask = (sql: string, url = server.url) => asked(url, sql);
  return {
    url: server.url,
    pause: async () => {
      await ask('select pg_wal_replay_pause()');
      while ((await ask('select pg_get_wal_replay_pause_state() as answer')) !== 'paused') await pause();
    },
    resume: async () => void (await ask('select pg_wal_replay_resume()')),
    caughtUp: async () => {
      // A commit that waits for the WAL flush, because commits of tests may not wait.
      await ask(COMMIT, `${primary.url}?options=-c%20synchronous_commit%3Dlocal`);
      const written = await ask('select pg_current_wal_flush_lsn()::text as answer', primary.url);
      const sql = `select pg_last_wal_replay_lsn() >= '${written}'::pg_lsn as answer`;
      while ((await ask(sql)) !== true) await pause();
    },
    promote: async () => void (await ask('select pg_promote()')),
    stop: async () => {
      await server.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** Gives a primary the next timeline: it restarts as a standby and is promoted. */
export async function promoteAgain(primary: TestPostgres): Promise<void> {
  writeFileSync(join(primary.folder, 'data', 'standby.signal'), '');
  await primary.restart();
  await asked(primary.url, 'select pg_promote()');
}

const COMMIT = "select pg_logical_emit_message(true, 'oddswire', 'caught up')";

async function backup(primary: TestPostgres, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  const user = serverUser();
  mkdirSync(folder, { mode: 0o700 });
  giveTo(folder, user);
  const data = join(folder, 'data');
  const own = ['postmaster.pid', 'postmaster.opts'].map((name) => join(primary.folder, 'data', name));
  await client.query("select pg_backup_start('standby', true)");
  cpSync(join(primary.folder, 'data'), data, { recursive: true, filter: (file) => !own.includes(file) });
  const { rows } = await client.query('select labelfile from pg_backup_stop()');
  await client.end();
  writeFileSync(join(data, 'backup_label'), rows[0].labelfile);
  writeFileSync(join(data, 'standby.signal'), '');
  chmodSync(data, 0o700);
  if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
}

function conninfo(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}

async function asked(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: unknown }>(sql);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}

const pause = () => new Promise((done) => setTimeout(done, 20));
