import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What `npm start` gives the runtime. */
export const FLAGS = ['--max-semi-space-size=4', '--enable-source-maps'];

const SETTINGS = {
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  OPERATOR_TOKEN: 'o',
  PUBLISHER_TOKEN: 'p',
  DRAIN_DELAY_MS: '0',
};

/** Starts the service as `npm start` does, on free ports, and answers when it listens. */
export async function startService(environment = {}) {
  const child = spawn(process.execPath, [...FLAGS, 'dist/src/main.js'], {
    env: { PATH: process.env.PATH, ...SETTINGS, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [port, internalPort] = await new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`the service exited with ${code} before it listened`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.startsWith('Oddswire listens on')) done([...line.matchAll(/:(\d+)/g)].map(([, found]) => found));
    });
  });
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    stop: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}
