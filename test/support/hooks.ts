import { closePages, stopBrowser } from './browser/browser.js';
import { dropDatabases, startTestPostgres } from './servers/postgres.js';
import { startTestRedis } from './servers/redis.js';
import { dropSchemas, endMaintenance, serverUrl } from './servers/stores.js';

let running: readonly { readonly origin: string; readonly stop: () => Promise<void> }[] = [];

/** Starts the servers of the run, unless settings name others. Tests share them, each with its own schema. */
export async function mochaGlobalSetup(): Promise<void> {
  const startedAt = performance.now();
  const [postgres, redis] = await Promise.all([
    given('DATABASE_URL') ?? startTestPostgres(),
    given('REDIS_URL') ?? startTestRedis(),
  ]);
  running = [postgres, redis];
  process.env['TEST_DATABASE_URL'] = postgres.url;
  process.env['TEST_REDIS_URL'] = redis.url;
  const origins = running.map(({ origin }) => origin).join(', ');
  console.log(`servers: ${origins}, ready in ${Math.round(performance.now() - startedAt)} ms`);
}

export const mochaHooks = { afterEach: closePages };

export async function mochaGlobalTeardown(): Promise<void> {
  await stopBrowser();
  if (given('DATABASE_URL') !== undefined) {
    await dropSchemas();
    await dropDatabases(serverUrl());
  }
  await endMaintenance();
  await Promise.all(running.map((server) => server.stop()));
}

function given(name: 'DATABASE_URL' | 'REDIS_URL') {
  const url = process.env[name];
  return url ? { url, origin: name, stop: async () => {} } : undefined;
}
