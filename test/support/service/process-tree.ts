import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from '../../../src/adapters/postgres-server/supervised-process.js';

/** A process of ours and all that came from it; backends of Postgres are in no group of their server's. */
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
      // A fork that was under way may still bring another one: not before all stand still are they all.
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

/** A process that has ended and that nobody has asked about counts as gone. */
export const isRunning = (pid: number): boolean => isAlive(pid) && stateOf(pid) !== 'Z';

/** Where nobody can say, it is taken on trust; one that has ended stands still too. */
const isStopped = (pid: number): boolean => [undefined, 'T', 't', 'Z'].includes(stateOf(pid));

/** One letter, as the kernel has it; undefined for a process that is gone. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
  } catch {
    return undefined;
  }
}
