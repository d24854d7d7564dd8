import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { startPostgresServer } from '../dist/src/adapters/postgres-server/postgres-server.js';
import { startTestRedis } from '../dist/test/support/servers/redis.js';
import { atEnd } from './run-bench.mjs';

/**
 * Starts one durable Postgres, with these settings, and one Redis. `next` creates a database in each and returns their
 * URLs, so that several services share the servers but no data.
 */
export async function startStores(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  chmodSync(folder, 0o755); // As root, Postgres runs as another user.
  const [postgres, redis] = await Promise.all([
    stoppedAtEnd(startPostgresServer({ folder: join(folder, 'postgres'), durable: true, settings })),
    stoppedAtEnd(startTestRedis()),
  ]);
  let made = 0;
  return {
    next: async () => {
      const number = made++;
      const databaseUrl = await createDatabase(postgres.url, `bench_${number}`);
      return { databaseUrl, redisUrl: `${redis.url}/${number}` };
    },
  };
}

/** Stops a server at the end, even if the bench ends before the server has started. */
function stoppedAtEnd(starting) {
  atEnd(() =>
    starting.then(
      ({ stop }) => stop(),
      () => {},
    ),
  );
  return starting;
}

/** Creates an empty database on a Postgres server; returns its URL. */
export async function createDatabase(serverUrl, name) {
  const admin = connect(serverUrl, LONG_TIMEOUTS, 1);
  await admin.raw('create database ??', [name]);
  await disconnect(admin);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
