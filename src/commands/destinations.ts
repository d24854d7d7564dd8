import { connect, disconnect, LONG_TIMEOUTS } from '../adapters/postgres/connection.js';
import { PostgresDestinations } from '../adapters/postgres/destinations/postgres-destinations.js';
import { jsonLog } from '../adapters/system/json-log.js';
import { openEmbeddedDatabase } from '../process/embedded-database.js';
import { readConfig } from '../settings/config.js';
import { processEnvironment } from '../settings/process-environment.js';
import { invocationOf } from './invocation.js';

/**
 * `oddswire destinations reset`: after a restore that no process of the service saw, every receiver is told that the feed returned to
 * an older state (D69).
 */
const [action = '', ...rest] = process.argv.slice(2);
const usage = `usage: ${invocationOf('destinations')} reset`;
if (['--help', '-h'].includes(action)) {
  console.log(usage);
  process.exit(0);
}
if (action !== 'reset' || rest.length > 0) fail(usage);
const settings = readConfig(processEnvironment(), (line) => console.error(`oddswire: ${line}`));
if ('faults' in settings) fail(settings.faults.join('\noddswire: '));
try {
  const { config, close } = await openEmbeddedDatabase(settings, jsonLog('silent'));
  try {
    if (config.databaseUrl === undefined) fail('set DATABASE_URL to the database of the service');
    const db = connect(config.databaseUrl, LONG_TIMEOUTS, 1);
    await new PostgresDestinations(db).reset();
    await disconnect(db);
    console.log('every destination gets a reset with its next delivery');
  } finally {
    await close();
  }
} catch (fault) {
  fail(fault instanceof Error ? fault.message : String(fault));
}

function fail(message: string): never {
  console.error(`oddswire: ${message}`);
  process.exit(1);
}
