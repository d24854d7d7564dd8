import type { Logger } from 'pino';
import { startPostgresServer } from '../adapters/postgres-server/postgres-server.js';
import type { Config } from '../settings/config.js';

/** Starts an embedded Postgres if `DATABASE_URL` names a folder. Returns settings with the URL of that server. */
export async function openEmbeddedDatabase(
  config: Config,
  log: Logger,
): Promise<{ readonly config: Config; readonly close: () => Promise<void> }> {
  const { embeddedDatabase: folder } = config;
  if (folder === undefined) return { config, close: async () => {} };
  const server = await startPostgresServer({ folder, durable: true });
  log.info({ dependency: 'Postgres', folder, origin: server.origin }, 'started an embedded Postgres');
  return { config: { ...config, databaseUrl: server.url }, close: () => server.stop() };
}
