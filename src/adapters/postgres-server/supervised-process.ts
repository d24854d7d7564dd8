import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ServerUser } from './server-user.js';

/**
 * Between us and the server stands a small shell that waits on its standard input. When this process
 * ends, in whatever way, the pipe closes and the shell stops the server: no server outlives its service.
 * One that has not ended in order after a while, as when its backends are frozen, ends without.
 */
const SUPERVISE = `
log="$1"; signal="$2"; shift 2
"$@" >>"$log" 2>&1 &
server=$!
echo $server
exec >/dev/null
( while kill -0 $server 2>/dev/null; do sleep 1; done; kill $$ 2>/dev/null ) &
watch=$!
cat >/dev/null
kill $watch 2>/dev/null
kill -s $signal $server 2>/dev/null
kill -s CONT $server 2>/dev/null
( sleep 30; kill -s QUIT $server 2>/dev/null ) &
late=$!
wait $server
kill $late 2>/dev/null
`;

/** What a server may know of our environment: it is another user's, and tokens are no business of it. */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'LANG', 'LC_ALL', 'TZ'];
export const ENVIRONMENT: NodeJS.ProcessEnv = Object.fromEntries(
  PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

export type Supervised = {
  readonly pid: number;
  /** What it has written since it was started, the last of it. */
  readonly log: () => string;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
};

export async function supervise(
  command: readonly string[],
  options: {
    readonly folder: string;
    readonly log: string;
    /** What tells it to end in order. */
    readonly signal: 'INT' | 'TERM';
    readonly user: ServerUser;
    readonly environment?: NodeJS.ProcessEnv;
  },
): Promise<Supervised> {
  const { folder, log, signal, user } = options;
  const from = existsSync(log) ? statSync(log).size : 0;
  const child = spawn('sh', ['-c', SUPERVISE, 'sh', log, signal, ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // A group of its own: a Ctrl-C in the terminal is for the service, which stops it in its turn.
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
    stop: () => ended(child),
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the shell has no output');
  const lines = createInterface({ input: child.stdout });
  const gone = once(child, 'exit').then(() => '');
  const [line] = await Promise.race([once(lines, 'line'), gone]);
  if (!line) throw new Error('the shell that supervises a server did not start');
  return line as string;
}

async function ended(child: ChildProcess): Promise<void> {
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
