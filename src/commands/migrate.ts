import { migrate, revertMigration } from '../adapters/postgres/migrate.js';
import { jsonLog } from '../adapters/system/json-log.js';
import { openEmbeddedDatabase } from '../process/embedded-database.js';
import { readConfig } from '../settings/config.js';
import { processEnvironment } from '../settings/process-environment.js';
import { invocationOf } from './invocation.js';

/** `npm run migrate` and `oddswire migrate`: applies all new migrations to the database of `DATABASE_URL`; `back` reverts the newest one. */
const [direction = 'forward', ...rest] = process.argv.slice(2);
const usage = `usage: ${invocationOf('migrate')} [back]`;
if (['--help', '-h'].includes(direction)) {
  console.log(usage);
  process.exit(0);
}
if (!['forward', 'back'].includes(direction) || rest.length > 0) fail(usage);
const settings = readConfig(processEnvironment(), (line) => console.error(`oddswire: ${line}`));
if ('faults' in settings) fail(settings.faults.join('\noddswire: '));
try {
  const { config, close } = await openEmbeddedDatabase(settings, jsonLog('silent'));
  try {
    if (config.databaseUrl === undefined) fail('set DATABASE_URL to the database to migrate');
    console.log(await (direction === 'back' ? revertNewest : applyAll)(config.databaseUrl));
  } finally {
    await close();
  }
} catch (fault) {
  fail(fault instanceof Error ? fault.message : String(fault));
}

async function applyAll(url: string): Promise<string> {
  const { applied, newer } = await migrate(url);
  if (newer.length > 0)
    return `nothing to do: a newer version of the service has applied ${newer.join(', ')}`;
  return applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to do: the schema is the newest';
}

async function revertNewest(url: string): Promise<string> {
  const reverted = await revertMigration(url);
  return reverted.length > 0
    ? `reverted: ${reverted.join(', ')}`
    : 'nothing to do: there is no migration to revert';
}

function fail(message: string): never {
  console.error(`oddswire: ${message}`);
  process.exit(1);
}
