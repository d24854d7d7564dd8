import { migrate, migrateBack } from '../adapters/postgres/migrate.js';
import { jsonLog } from '../adapters/system/json-log.js';
import { openEmbeddedDatabase } from '../process/embedded-database.js';
import { readConfig } from '../settings/config.js';
import { processEnvironment } from '../settings/process-environment.js';

/** `npm run migrate`: brings the database of `DATABASE_URL` to the newest schema; `-- back` takes one step back. */
const [direction = 'forward', ...rest] = process.argv.slice(2);
if (!['forward', 'back'].includes(direction) || rest.length > 0) fail('usage: npm run migrate [-- back]');
const settings = readConfig(processEnvironment(), (line) => console.error(`oddswire: ${line}`));
if ('faults' in settings) fail(settings.faults.join('\noddswire: '));
try {
  const { config, close } = await openEmbeddedDatabase(settings, jsonLog('silent'));
  try {
    if (config.databaseUrl === undefined) fail('DATABASE_URL is not set: which database?');
    console.log(await (direction === 'back' ? goBack : goForward)(config.databaseUrl));
  } finally {
    await close();
  }
} catch (fault) {
  fail(fault instanceof Error ? fault.message : String(fault));
}

async function goForward(url: string): Promise<string> {
  const { made, newer } = await migrate(url);
  if (newer.length > 0) return `nothing to do: a newer version has made ${newer.join(', ')}`;
  return made.length > 0 ? `made: ${made.join(', ')}` : 'nothing to do';
}

async function goBack(url: string): Promise<string> {
  const taken = await migrateBack(url);
  return taken.length > 0 ? `taken back: ${taken.join(', ')}` : 'nothing to do';
}

function fail(message: string): never {
  console.error(`oddswire: ${message}`);
  process.exit(1);
}
