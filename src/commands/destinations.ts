import { sealingOf } from '../adapters/destinations/sealing.js';
import { connect, disconnect, LONG_TIMEOUTS } from '../adapters/postgres/connection.js';
import { PostgresDestinations } from '../adapters/postgres/destinations/postgres-destinations.js';
import { jsonLog } from '../adapters/system/json-log.js';
import { sealDestinationsAnew } from '../application/destinations/seal-destinations-anew.js';
import type { Destinations } from '../application/ports/destinations/destinations.js';
import { openEmbeddedDatabase } from '../process/embedded-database.js';
import { readConfig } from '../settings/config.js';
import { processEnvironment } from '../settings/process-environment.js';
import { invocationOf } from './invocation.js';

/**
 * `oddswire destinations reset`: after a restore that no process of the service saw, every receiver is told that the feed returned to
 * an older state (D69). `oddswire destinations seal`: their URLs and secrets are sealed with the first value of `SECRETS_KEY` (D68).
 */
const ACTIONS = { reset, seal } as const;
const [action = '', ...rest] = process.argv.slice(2);
const usage = `usage: ${invocationOf('destinations')} reset|seal`;
if (['--help', '-h'].includes(action)) {
  console.log(usage);
  process.exit(0);
}
if ((action !== 'reset' && action !== 'seal') || rest.length > 0) fail(usage);
const settings = readConfig(processEnvironment(), (line) => console.error(`oddswire: ${line}`));
if ('faults' in settings) fail(settings.faults.join('\noddswire: '));
try {
  const { config, close } = await openEmbeddedDatabase(settings, jsonLog('silent'));
  try {
    if (config.databaseUrl === undefined) throw new Error('set DATABASE_URL to the database of the service');
    const db = connect(config.databaseUrl, LONG_TIMEOUTS, 1);
    try {
      console.log(await ACTIONS[action](new PostgresDestinations(db), config.destinations.secretsKeys));
    } finally {
      await disconnect(db);
    }
  } finally {
    await close();
  }
} catch (fault) {
  fail(fault instanceof Error ? fault.message : String(fault));
}

async function reset(destinations: Destinations): Promise<string> {
  await destinations.reset();
  return 'every destination gets a reset with its next delivery';
}

async function seal(destinations: Destinations, secretsKeys: readonly string[]): Promise<string> {
  const sealing = sealingOf(secretsKeys, { isStored: true });
  if (sealing === null)
    throw new Error('set SECRETS_KEY to the new key and the former one, separated by a comma');
  const { sealed, left } = await sealDestinationsAnew({ destinations, sealing })();
  const rest =
    left === 0
      ? 'all have the first key now; only links in mails that were sent before need the former one'
      : `${left} still have another key: run this again once all instances have the new setting; what stays has a lost key`;
  return `${sealed} destinations were sealed anew; ${rest}`;
}

function fail(message: string): never {
  console.error(`oddswire: ${message}`);
  process.exit(1);
}
