import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { killGroup } from '../service/process-tree.js';
import { PROJECT } from './packed.js';

/** The commands by the end of the file's name. TypeScript is compiled with the project. */
const COMMANDS: Readonly<Record<string, (file: string) => readonly [string, string]>> = {
  ts: (file) => [process.execPath, join(PROJECT, 'dist/examples', file.replace(/ts$/, 'js'))],
  py: (file) => ['python3', join(PROJECT, 'examples', file)],
  sh: (file) => ['sh', join(PROJECT, 'examples', file)],
};

/** A program of `examples`, in a folder of its own. */
export class Example {
  readonly folder = mkdtempSync(join(tmpdir(), 'oddswire-example-'));
  /** The lines that it has printed, over all its starts. */
  readonly lines: string[] = [];
  errors = '';
  #process: ChildProcess | undefined;

  start(
    file: string,
    environment: { readonly url: string; readonly key: string },
    ...parameters: string[]
  ): void {
    const [command, path] = COMMANDS[file.slice(-2)]?.(file) ?? ['', ''];
    const child = spawn(command, [path, ...parameters], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: join(PROJECT, 'packages/python'),
        PYTHONDONTWRITEBYTECODE: '1',
        ODDSWIRE_URL: environment.url,
        ODDSWIRE_KEY: environment.key,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: a shell has child processes.
      detached: true,
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.lines.push(line));
    child.stderr.on('data', (text) => {
      this.errors += text;
    });
    this.#process = child;
  }

  /** The exit code, when it has ended by itself. */
  async ended(): Promise<number | null> {
    const child = this.#process;
    if (child?.exitCode === null) await once(child, 'exit');
    return child?.exitCode ?? null;
  }

  /** Kills it like a crash. */
  async kill(): Promise<void> {
    await killGroup(this.#process);
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
