import { setTimeout } from 'node:timers/promises';
import { importCommand } from '../adapters/import/import-command.js';
import { processEnvironment } from '../settings/process-environment.js';
import { invocationOf } from './invocation.js';

/**
 * `npm run import`, `oddswire publish` and `oddswire import`: publishes a file through the internal listener of a running service, or
 * checks it.
 */
process.exitCode = await importCommand({
  command: invocationOf('import'),
  args: process.argv.slice(2),
  environment: processEnvironment(),
  input: process.stdin,
  output: process.stderr,
  pause: setTimeout,
  now: () => performance.now(),
});
