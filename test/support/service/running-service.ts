import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const PROJECT = resolve(import.meta.dirname, '../../../..');
/** The service as one file (`scripts/setup.mjs`), which starts in a third of the time of its modules. `launchNpm` runs the modules. */
const MAIN = resolve(import.meta.dirname, '../../../test-programs/service.cjs');
const DEMO = resolve(import.meta.dirname, '../../../src/commands/demo.js');

type Line = Readonly<Record<string, unknown>>;

/** One process of the service, as `npm start` starts it. */
export type Instance = {
  readonly url: string;
  readonly internalUrl: string;
  readonly process: ChildProcess;
  /** All lines so far of standard output and standard error. */
  readonly output: readonly string[];
  /** Waits for the nth line of its output with this text; by default the first. */
  readonly line: (text: string, times?: number) => Promise<string>;
  /** Sends SIGTERM and resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
};

export type Service = {
  readonly instances: readonly Instance[];
  readonly tokens: { readonly operator: string; readonly publisher: string };
  readonly stateDir: string;
  readonly stop: () => Promise<void>;
};

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export const WEBHOOK_SECRET = 'whsec_of_the_tests';

/** Settings for tests. The limits by client address are high, because tests share an address. */
const DEFAULTS = {
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  OPERATOR_TOKEN: 'operator-token-of-the-tests',
  PUBLISHER_TOKEN: 'publisher-token-of-the-tests',
  TEST_CLOCK: '1',
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  DRAIN_DELAY_MS: '0',
  ANONYMOUS_PER_MINUTE: '1000000',
  SIGN_IN_MAILS_PER_DAY: '1000000',
  NEW_ACCOUNTS_PER_DAY: '1000000',
  // Copies of keys are compared often. Every divergence fails the test, when it stops the service.
  KEY_COMPARE_SECONDS: '1',
};

/** Starts instances with the same settings and waits until they listen. */
export async function startService(
  environment: Readonly<Record<string, string>> = {},
  instances = 1,
): Promise<Service> {
  const stateDir = mkdtempSync(join(tmpdir(), 'oddswire-'));
  const settings = { ...DEFAULTS, STATE_DIR: stateDir, ...environment };
  const running = await Promise.all(Array.from({ length: instances }, () => startInstance(settings)));
  return {
    instances: running,
    tokens: { operator: settings.OPERATOR_TOKEN, publisher: settings.PUBLISHER_TOKEN },
    stateDir,
    stop: async () => {
      await Promise.all(running.map((instance) => instance.stop()));
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

export const spawnMain = (
  settings: Readonly<Record<string, string>>,
  script: string = MAIN,
  { args = [], folder = workingFolder }: { readonly args?: readonly string[]; readonly folder?: string } = {},
): Child => watched(spawn(process.execPath, [script, ...args], { ...spawnOptions(settings), cwd: folder }));

/** The working directory of the service: a folder without the developer's `.env`. */
const workingFolder = mkdtempSync(join(tmpdir(), 'oddswire-cwd-'));
process.once('exit', () => rmSync(workingFolder, { recursive: true, force: true }));

const spawnOptions = (settings: Readonly<Record<string, string>>) => ({
  env: { PATH: process.env['PATH'] ?? '', ...settings },
  stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
});

function watched(child: Child): Child {
  children.add(child);
  // A test that fails before it stops its service must not keep the test run alive.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as Socket).unref();
  child.once('exit', () => children.delete(child));
  return child;
}

/** A started process of the service, which may not listen yet. */
export type Launched = Pick<Instance, 'process' | 'output' | 'line' | 'stop'> & {
  /** Rejects with the output if the process ends before it listens. */
  readonly listening: Promise<Instance>;
};

async function startInstance(settings: Readonly<Record<string, string>>): Promise<Instance> {
  return launch(spawnMain(settings)).listening;
}

/** Starts an instance with the defaults of tests. `script` is the `main.js` of this version or of another one. */
export const launchInstance = (
  environment: Readonly<Record<string, string>>,
  folder: string = workingFolder,
  script: string = MAIN,
  args: readonly string[] = [],
): Launched => launch(spawnMain({ ...DEFAULTS, ...environment }, script, { folder, args }));

/** Combines launched instances into one service. */
export const serviceOf = (...instances: readonly Instance[]): Service => ({
  instances,
  tokens: { operator: DEFAULTS.OPERATOR_TOKEN, publisher: DEFAULTS.PUBLISHER_TOKEN },
  stateDir: '',
  stop: async () => void (await Promise.all(instances.map((instance) => instance.stop()))),
});

const CTRL_C = '\x03';

/** Starts an instance whose standard output is a terminal. `stop` sends Ctrl-C. */
export const launchOnTerminal = (
  environment: Readonly<Record<string, string>>,
): Omit<Launched, 'listening'> => {
  const options = { ...spawnOptions({ ...DEFAULTS, ...environment }), cwd: workingFolder };
  const command = ['-qec', `exec '${process.execPath}' '${MAIN}'`, '/dev/null'];
  const terminal = spawn('script', command, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = () => ended(terminal, () => terminal.stdin.write(CTRL_C));
  return { ...launch(watched(terminal)), stop };
};

/** Starts an instance in memory that may open at most this number of files. */
export const launchWithOpenFiles = (openFilesMax: number): Launched => {
  const command = ['-c', `ulimit -n ${openFilesMax} && exec "$0" "$1"`, process.execPath, MAIN];
  const options = spawnOptions({ ...DEFAULTS, CONNECTIONS_PER_ADDRESS: '0' });
  return launch(watched(spawn('sh', command, { ...options, cwd: workingFolder })));
};

/** Starts the demo, as `npm run demo` does. */
export const launchDemo = (
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Launched => launch(spawnMain({ ...DEFAULTS, LOG_LEVEL: 'info', ...environment }, DEMO, { args }));

/** Runs npm with a script of the project, in a new process group; `process` is npm. */
export const launchNpm = (args: readonly string[], environment = {}, folder = PROJECT): Launched => {
  const options = { ...spawnOptions({ ...DEFAULTS, ...environment }), cwd: folder, detached: true };
  return launch(watched(spawn('npm', args, options)));
};

/** Runs a program that runs the service, for example in a container, in a new process group. */
export const launchProgram = ([program, args]: readonly [string, readonly string[]]): Launched =>
  launch(watched(spawn(program, args, { ...spawnOptions({}), detached: true })));

function launch(child: Child): Launched {
  const output: string[] = [];
  const written = new EventEmitter<{ line: [string] }>();
  written.setMaxListeners(0);
  for (const stream of [child.stdout, child.stderr]) {
    readLines(stream, (line) => {
      output.push(line);
      written.emit('line', line);
    });
  }
  const line = (text: string, times = 1): Promise<string> => {
    const found = output.filter((other) => other.includes(text));
    const wanted = found[times - 1];
    if (wanted !== undefined) return Promise.resolve(wanted);
    let left = times - found.length;
    return new Promise((done) => {
      written.on('line', function take(next) {
        if (!next.includes(text)) return;
        left -= 1;
        if (left > 0) return;
        written.off('line', take);
        done(next);
      });
    });
  };
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`the service exited with ${code}:\n${output.join('\n')}`);
  });
  const stop = async () => {
    const code = await stopped(child);
    const divergence = output.find((each) => each.includes('no change was logged'));
    if (divergence !== undefined) throw new Error(divergence);
    return code;
  };
  const launched = { process: child, output, line, stop };
  const listening = Promise.race([line('"msg":"listening"'), ended]).then(async (text) => {
    const { port, internal_port, worker } = JSON.parse(text) as Line;
    // Until all workers listen, one of them may answer 503 on the internal listener.
    if (worker !== undefined) await Promise.race([line('"msg":"all workers accept requests"'), ended]);
    const [url, internalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internal_port}`];
    return { ...launched, url, internalUrl };
  });
  // These rejections need no handler: a test may not wait for `listening`, and a listening process ends later.
  listening.catch(() => {});
  ended.catch(() => {});
  return { ...launched, listening };
}

/** Sends SIGKILL, like a crash, and resolves when the process is gone. */
export async function killed({ process: child }: Pick<Instance, 'process'>): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

export const stopped = (child: ChildProcess): Promise<number | null> =>
  ended(child, () => child.kill('SIGTERM'));

async function ended(child: ChildProcess, end: () => void): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  end();
  const [code] = await exit;
  return code as number | null;
}

function readLines(stream: Readable, take: (line: string) => void): void {
  createInterface({ input: stream }).on('line', take);
}
