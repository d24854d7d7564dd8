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
    const names = await (direction === 'back' ? migrateBack : migrate)(config.databaseUrl);
    const done = direction === 'back' ? 'taken back' : 'made';
    console.log(names.length === 0 ? 'nothing to do' : `${done}: ${names.join(', ')}`);
  } finally {
    await close();
  }
} catch (fault) {
  fail(fault instanceof Error ? fault.message : String(fault));
}

function fail(words: string): never {
  console.error(`oddswire: ${words}`);
  process.exit(1);
}
