import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from '../../../src/adapters/postgres-server/supervised-process.js';

/** A process and all its descendants. Backends of Postgres are not in the process group of their server. */
export function tree(pid: number): readonly number[] {
  const parents = parentsOfAll();
  const found = [pid];
  for (const one of found) {
    for (const [child, parent] of parents) if (parent === one) found.push(child);
  }
  return found;
}

function parentsOfAll(): ReadonlyMap<number, number> {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return new Map(pids.flatMap(parentOf));
  } catch {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ +/).map(Number) as [number, number]),
    );
  }
}

function parentOf(pid: string): [number, number][] {
  try {
    // The name in parentheses may contain any character; the parent is the second field after it.
    const after = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return [[Number(pid), Number(after.split(' ')[1])]];
  } catch {
    return []; // The process has ended.
  }
}

/** Kills a process that leads a process group, and all processes of the group, like a crash. */
export async function killGroup(leader: ChildProcess | undefined): Promise<void> {
  if (leader?.pid === undefined || leader.exitCode !== null || leader.signalCode !== null) return;
  const exit = once(leader, 'exit');
  process.kill(-leader.pid, 'SIGKILL');
  await exit;
}

/** Faults that a test causes in a server. */
export type Faults = {
  readonly freeze: () => Promise<void>;
  readonly thaw: () => Promise<void>;
  /** Sends SIGKILL and resolves when all processes are gone. */
  readonly kill: () => Promise<void>;
};

export const faultsOf = (pid: () => number): Faults => {
  const send = (signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL', pids: readonly number[]) => {
    for (const one of pids) {
      try {
        process.kill(one, signal);
      } catch {
        // The process has ended.
      }
    }
  };
  return {
    freeze: async () => {
      // A fork in progress may add a process: repeat until all are stopped and none is new.
      send('SIGSTOP', [pid()]);
      for (let all = tree(pid()); ; all = tree(pid())) {
        send('SIGSTOP', all);
        if (all.every(isStopped) && tree(pid()).length === all.length) return;
        await new Promise((done) => setTimeout(done, 5));
      }
    },
    thaw: async () => send('SIGCONT', tree(pid())),
    kill: async () => {
      const all = tree(pid());
      send('SIGKILL', all);
      while (all.some(isRunning)) await new Promise((done) => setTimeout(done, 10));
    },
  };
};

/** Whether a process runs. A zombie counts as ended. */
export const isRunning = (pid: number): boolean => isAlive(pid) && stateOf(pid) !== 'Z';

/** Whether a process is stopped. Ended processes and unknown states count as stopped. */
const isStopped = (pid: number): boolean => [undefined, 'T', 't', 'Z'].includes(stateOf(pid));

/** The state letter in `/proc`; undefined if the process is gone or there is no `/proc`. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
  } catch {
    return undefined;
  }
}
