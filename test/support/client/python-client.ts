import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { FeedMessage } from '@oddswire/client';
import { PROJECT } from './packed.js';
import type { Failure, Outcome, TestedClient } from './tested-client.js';

export const PYTHON_PACKAGE = join(PROJECT, 'packages/python');

export const hasPython = spawnSync('python3', ['--version']).status === 0;

type Line = {
  readonly id: number;
  readonly outcome?: Outcome;
  readonly message?: FeedMessage;
  readonly ended?: Failure | null;
  /** An exception that is no failure of the client: a bug. */
  readonly broken?: string;
};

/** The package `oddswire` in one process of Python, which runs all calls of the tests. */
export class PythonClient implements TestedClient {
  readonly language = 'Python';
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #takers = new Map<number, (line: Line) => void>();
  #calls = 0;

  constructor() {
    this.#process = spawn('python3', [join(PROJECT, 'test/support/client/python_client.py')], {
      env: { PATH: process.env['PATH'], PYTHONPATH: PYTHON_PACKAGE, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#process.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line;
      this.#takers.get(line.id)?.(line);
    });
  }

  call: TestedClient['call'] = async (at, method, query = {}, take = -1) => {
    const { outcome } = await this.#answered({ do: 'call', at, method, query, take });
    if (outcome === undefined) throw new Error('the call has no outcome');
    return outcome;
  };

  follow: TestedClient['follow'] = (at, query = {}, options = {}) => {
    const messages: FeedMessage[] = [];
    const id = this.#calls + 1;
    const last = this.#answered({ do: 'follow', at, query, ...options }, ({ message }) => {
      if (message !== undefined) messages.push(message);
    });
    return {
      messages,
      stop: () => this.#send({ do: 'stop', id }),
      ended: last.then(({ ended = null }) => ended),
    };
  };

  shiftClock: TestedClient['shiftClock'] = async (seconds) => {
    await this.#answered({ do: 'shift_clock', seconds });
  };

  stop(): void {
    this.#process.kill('SIGKILL');
  }

  /** The last line that answers a command. */
  #answered(command: object, take: (line: Line) => void = () => {}): Promise<Line> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#takers.set(id, (line) => {
        if (line.broken !== undefined) reject(new Error(line.broken));
        else if (line.message !== undefined) take(line);
        else resolve(line);
      });
      this.#send({ ...command, id });
    });
  }

  #send(command: object): void {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`);
  }
}
