import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../dist/src/adapters/postgres-server/postgres-server.js';
import { atEnd, BenchFailure } from './run-bench.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Two different tokens of at least 20 characters: the service refuses others. */
export const OPERATOR_TOKEN = 'operator-token-of-the-bench';
export const PUBLISHER_TOKEN = 'publisher-token-of-the-bench';

const SETTINGS = { HOST: '127.0.0.1', OPERATOR_TOKEN, PUBLISHER_TOKEN, DRAIN_DELAY_MS: '0' };
const READY_CHECK_MS = 10;
const STDERR_KEPT = 2_000;

/** The command of `npm start` in a checkout: runtime flags and script. It can differ between commits. */
export function startCommand(root) {
  const { start = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts ?? {};
  const commandLine = start.split(/\s+/);
  const node = commandLine.indexOf('node');
  const script = commandLine.findLastIndex((argument) => /\.[cm]?js$/.test(argument));
  if (node === -1 || script < node) {
    throw new BenchFailure(
      `the start script in package.json must be like "node [flags] file.js", but it is "${start}"`,
    );
  }
  return { flags: commandLine.slice(node + 1, script), script: join(root, commandLine[script]) };
}

/**
 * Starts the service of a checkout as `npm start` does, on free ports, and resolves when it is ready. It runs in a new empty
 * folder, so that settings and state in a developer's checkout have no effect. `preloaded` modules run in it first, and can
 * exchange messages with `process`.
 */
export async function startService(environment = {}, root = ROOT, preloaded = []) {
  const { flags, script } = startCommand(root);
  const [port, internalPort] = await freePorts(2);
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-service-'));
  const imports = preloaded.flatMap((file) => ['--import', file]);
  const child = spawn(process.execPath, [...flags, ...imports, script], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...SETTINGS, PORT: port, INTERNAL_PORT: internalPort, ...environment },
    stdio: ['ignore', 'ignore', 'pipe', ...(preloaded.length > 0 ? ['ipc'] : [])],
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    if (!isRunning()) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  atEnd(stop);
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-STDERR_KEPT);
  });
  const internalUrl = `http://127.0.0.1:${internalPort}`;
  while (!(await isReady(internalUrl))) {
    if (!isRunning())
      throw new BenchFailure(`the service of ${root} exited before it was ready: ${output.trim()}`);
    await pause(READY_CHECK_MS);
  }
  return { process: child, pid: child.pid, url: `http://127.0.0.1:${port}`, internalUrl, stop };
}

async function isReady(internalUrl) {
  try {
    const answer = await fetch(`${internalUrl}/readyz`);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false; // It does not listen yet.
  }
}
