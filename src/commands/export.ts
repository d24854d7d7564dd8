import { setTimeout } from 'node:timers/promises';
import { exportCommand } from '../adapters/export/export-command.js';
import { processEnvironment } from '../settings/process-environment.js';
import { invocationOf } from './invocation.js';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

/** `oddswire export`: writes the history of the feed of a running service to a file. */
process.exitCode = await exportCommand({
  command: invocationOf('export', 'npx oddswire export'),
  args: process.argv.slice(2),
  environment: processEnvironment(),
  output: process.stderr,
  random: Math.random,
  pause: (ms, signal) => setTimeout(ms, undefined, { signal }),
  signal: stop.signal,
});
