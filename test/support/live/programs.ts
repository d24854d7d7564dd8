import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { killGroup } from '../service/process-tree.js';

const LIVE = readFileSync(resolve(import.meta.dirname, '../../../../docs/live.md'), 'utf8');

/** The programs under a heading of `docs/live.md`. A comment of Python begins with one `#`. */
export function codeUnder(heading: string): readonly string[] {
  const [, section = ''] = LIVE.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [text = ''] = section.split(/^##+ [A-Z]/m);
  return [...text.matchAll(/^```(?!json|text)[a-z]+\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/** What a program has stored: the items by id, and the position up to which they are current. */
export type Followed = {
  readonly position: string | null;
  readonly items: Readonly<Record<string, unknown>>;
};

type Language = {
  readonly heading: string;
  /** The commands that the program needs. */
  readonly needs: readonly string[];
  /** Whether the program has its data in memory, and not in files of its folder. */
  readonly isInMemory: boolean;
  readonly file: string;
  readonly run: readonly [command: string, ...parameters: string[]];
  readonly followed: (folder: string, process: ChildProcess) => Promise<Followed>;
};

/** The time between two looks at the files of a program, or at its data in memory. */
const LOOKED_EVERY_MS = 25;

/** Starts the program as a module, and sends what it exports. */
const SENDING = `import * as program from './follow.mjs';
process.on('message', () =>
  process.send({ position: program.position ?? null, items: Object.fromEntries(program.items) }));`;

const PRINTING = `import json, sqlite3
db = sqlite3.connect("feed.db", isolation_level=None)
db.execute("begin")
items = {id: json.loads(body) for id, body in db.execute("select id, body from item")}
print(json.dumps({"position": db.execute("select max(position) from feed").fetchone()[0], "items": items}))`;

const LANGUAGES: readonly Language[] = [
  {
    heading: 'JavaScript',
    needs: [],
    isInMemory: true,
    file: 'follow.mjs',
    run: [process.execPath, '--input-type=module', '--eval', SENDING],
    followed: async (_, child) => {
      child.send('followed');
      const [followed] = await once(child, 'message');
      return followed as Followed;
    },
  },
  {
    heading: 'Python',
    needs: ['python3'],
    isInMemory: false,
    file: 'follow.py',
    run: ['python3', 'follow.py'],
    followed: async (folder) => JSON.parse(await output(folder, 'python3', '-c', PRINTING)) as Followed,
  },
  {
    heading: 'Shell',
    needs: ['curl', 'jq'],
    isInMemory: false,
    file: 'follow.sh',
    run: ['sh', 'follow.sh'],
    followed: async (folder) => {
      const [, reading = ''] = codeUnder('Shell');
      // A copy: the program can replace the file between the reading of the items and that of the position.
      const text = readFileSync(join(folder, 'feed.ndjson'), 'utf8');
      const copy = mkdtempSync(join(tmpdir(), 'oddswire-followed-'));
      writeFileSync(join(copy, 'feed.ndjson'), text);
      try {
        const items = JSON.parse(await output(copy, 'sh', '-c', reading)) as Followed['items'];
        return { position: /"position":"([^"]+)"/.exec(text.split('\n').at(-2) ?? '')?.[1] ?? null, items };
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    },
  },
];

async function output(folder: string, command: string, ...parameters: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, parameters, { cwd: folder, maxBuffer: 1e9 });
  return stdout;
}

/** The languages whose programs run on this machine. */
export const runnableLanguages = (): readonly string[] =>
  LANGUAGES.filter(({ needs }) => needs.every(isInstalled)).map(({ heading }) => heading);

const isInstalled = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** A program of `docs/live.md`, which runs as it is shown, in a folder of its own. */
export class Program {
  readonly #language: Language;
  readonly #folder = mkdtempSync(join(tmpdir(), 'oddswire-follow-'));
  #process: ChildProcess | undefined;
  #errors = '';

  constructor(heading: string) {
    const language = LANGUAGES.find((each) => each.heading === heading);
    const [code] = codeUnder(heading);
    if (language === undefined || code === undefined) throw new Error(`there is no program: ${heading}`);
    this.#language = language;
    writeFileSync(join(this.#folder, language.file), code);
  }

  start(environment: NodeJS.ProcessEnv): void {
    const [command, ...parameters] = this.#language.run;
    const child = spawn(command, parameters, {
      cwd: this.#folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe', command === process.execPath ? 'ipc' : 'ignore'],
      // A process group of its own: a shell has child processes.
      detached: true,
    });
    this.#errors = '';
    child.stderr?.on('data', (text) => {
      this.#errors += text;
    });
    this.#process = child;
  }

  /** What it has stored; null before it has stored anything. */
  async followed(): Promise<Followed | null> {
    return this.#language.followed(this.#folder, this.#running()).catch(() => null);
  }

  /**
   * Resolves with what it has stored, as soon as `isReached` accepts it. Reading starts a process for most languages, so
   * it waits until the program has written again.
   */
  async reached(isReached: (followed: Followed) => boolean): Promise<Followed> {
    for (let read: string | null = null; ; await setTimeout(LOOKED_EVERY_MS)) {
      const written = this.#written();
      if (written !== null && written === read) continue;
      read = written;
      const followed = await this.followed();
      if (followed !== null && isReached(followed)) return followed;
    }
  }

  /** The names, sizes and times of its files; null if it stores its data in memory. */
  #written(): string | null {
    if (this.#language.isInMemory) return null;
    return readdirSync(this.#folder)
      .map((file) => {
        const found = statSync(join(this.#folder, file), { bigint: true, throwIfNoEntry: false });
        return `${file} ${found?.size} ${found?.mtimeNs}`;
      })
      .join();
  }

  /** Resolves with the exit code and standard error, when it has stopped by itself. */
  async stopped(): Promise<{ readonly code: number | null; readonly errors: string }> {
    const child = this.#running();
    if (child.exitCode === null) await once(child, 'close');
    return { code: child.exitCode, errors: this.#errors };
  }

  /** Kills it like a crash. */
  async kill(): Promise<void> {
    await killGroup(this.#process);
  }

  /** Kills only its first process, like a crash. */
  async killFirst(): Promise<void> {
    const child = this.#running();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Whether any of its processes runs. */
  isRunning(): boolean {
    try {
      return process.kill(-(this.#running().pid ?? 0), 0);
    } catch {
      return false;
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #running(): ChildProcess {
    if (this.#process === undefined) throw new Error('the program was not started');
    return this.#process;
  }
}
