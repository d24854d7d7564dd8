import { setTimeout } from 'node:timers/promises';
import { importCommand } from '../adapters/import/import-command.js';
import { processEnvironment } from '../settings/process-environment.js';

/** `npm run import`: publishes a file through the internal listener of a running service. */
process.exitCode = await importCommand({
  args: process.argv.slice(2),
  environment: processEnvironment(),
  input: process.stdin,
  output: process.stderr,
  pause: setTimeout,
  now: () => performance.now(),
});
