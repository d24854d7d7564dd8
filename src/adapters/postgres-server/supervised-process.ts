import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ServerUser } from './server-user.js';

/**
 * A small shell starts the server and waits on its standard input. When this process ends in any way, the pipe closes
 * and the shell stops the server, so no server outlives its service. If the server does not shut down within 30 s, for
 * example because its backends are frozen, the shell sends SIGQUIT.
 */
const SUPERVISE = `
log="$1"; signal="$2"; shift 2
"$@" >>"$log" 2>&1 &
server=$!
echo $server
exec >/dev/null
( while kill -0 $server 2>/dev/null; do sleep 1; done; kill $$ 2>/dev/null ) &
monitor=$!
cat >/dev/null
kill $monitor 2>/dev/null
kill -s $signal $server 2>/dev/null
kill -s CONT $server 2>/dev/null
( sleep 30; kill -s QUIT $server 2>/dev/null ) &
late=$!
wait $server
kill $late 2>/dev/null
`;

/** The variables that a server inherits. It may run as another user and must not inherit our secrets. */
const INHERITED = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'LANG', 'LC_ALL', 'TZ'];
export const ENVIRONMENT: NodeJS.ProcessEnv = Object.fromEntries(
  INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

export type Supervised = {
  readonly pid: number;
  /** The last 800 characters that the server has logged since its start. */
  readonly log: () => string;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
};

export async function supervise(
  command: readonly string[],
  options: {
    readonly folder: string;
    readonly log: string;
    /** The signal for an orderly shutdown. */
    readonly signal: 'INT' | 'TERM';
    readonly user: ServerUser;
    readonly environment?: NodeJS.ProcessEnv;
  },
): Promise<Supervised> {
  const { folder, log, signal, user } = options;
  const from = existsSync(log) ? statSync(log).size : 0;
  const child = spawn('sh', ['-c', SUPERVISE, 'sh', log, signal, ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // A separate process group: Ctrl-C in a terminal must reach the service only, which then stops the server.
    detached: true,
    cwd: folder,
    ...user,
    env: { ...ENVIRONMENT, ...options.environment },
  });
  const pid = Number(await firstLine(child));
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  return {
    pid,
    log: () => (existsSync(log) ? readFileSync(log).subarray(from).toString('utf8').slice(-800) : ''),
    isRunning: () => isAlive(pid),
    stop: () => end(child),
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the shell has no output');
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit').then(() => '');
  const [line] = await Promise.race([once(lines, 'line'), exited]);
  if (!line) throw new Error('the shell that supervises a server did not start');
  return line as string;
}

async function end(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await once(child, 'exit');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
