#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { runProgram } from './program.js';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

/** The reader of a pipe has ended, as `head` does: nothing is wrong, and nothing more is wanted. */
let isClosed = false;
process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  if (fault.code !== 'EPIPE') throw fault;
  isClosed = true;
  stop.abort();
});

const args = process.argv.slice(2);
if (['--version', '-v'].includes(args[0] ?? '')) {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  console.log(version);
} else {
  const code = await runProgram(args, {
    environment: process.env,
    output: process.stdout,
    errors: process.stderr,
    input: process.stdin,
    signal: stop.signal,
    now: () => new Date(),
    random: Math.random,
    pause: (ms, signal) => setTimeout(ms, undefined, { signal }),
  });
  process.exitCode = isClosed ? 0 : code;
}
