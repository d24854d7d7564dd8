import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from '../../src/adapters/postgres-server/supervised-process.js';

/** A process of ours and all that came from it; backends of Postgres are in no group of their server's. */
function tree(pid: number): readonly number[] {
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
    // The name in parentheses may hold anything; the parent is the second word after it.
    const after = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return [[Number(pid), Number(after.split(' ')[1])]];
  } catch {
    return []; // It ended meanwhile.
  }
}

/** What a test does to a server of its own. */
export type Faults = {
  readonly freeze: () => Promise<void>;
  readonly thaw: () => Promise<void>;
  /** SIGKILL; answers when it is gone. */
  readonly kill: () => Promise<void>;
};

export const faultsOf = (pid: () => number): Faults => {
  const send = (signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL', pids: readonly number[]) => {
    for (const one of pids) {
      try {
        process.kill(one, signal);
      } catch {
        // It ended meanwhile.
      }
    }
  };
  return {
    freeze: async () => {
      // The first one first: then no more come from it while the others are looked for.
      send('SIGSTOP', [pid()]);
      send('SIGSTOP', tree(pid()));
    },
    thaw: async () => send('SIGCONT', tree(pid())),
    kill: async () => {
      const all = tree(pid());
      send('SIGKILL', all);
      while (all.some(isRunning)) await new Promise((done) => setTimeout(done, 10));
    },
  };
};

/** A process that has ended and that nobody has asked about counts as gone. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') === false;
  } catch {
    return false;
  }
}
