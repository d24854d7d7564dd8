import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { killGroup } from '../service/process-tree.js';
import { PROJECT } from './packed.js';

/** What a document may have between fences: programs, data, and texts that nobody runs. */
export const FENCE_LANGUAGES = ['sh', 'js', 'ts', 'python', 'json', 'text'] as const;
type FenceLanguage = (typeof FENCE_LANGUAGES)[number];

export type Fence = { readonly language: FenceLanguage | string; readonly code: string };

export const fencesIn = (text: string): readonly Fence[] =>
  [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    code,
  }));

/** The line that runs a program, in its first comment, and the file that it runs. */
export function runLine(code: string): { readonly command: string; readonly file: string } | null {
  const [, command = ''] = /^(?:(?:\/\/|#).*\n)*(?:\/\/|#).*?Run it: (.+)\n/.exec(code) ?? [];
  const [, file = ''] = /^(?:node|python3|sh) ([\w-]+\.(?:mjs|ts|py|sh))/.exec(command) ?? [];
  return file === '' ? null : { command, file };
}

/** How long a program that has printed something may go on: most of them have no end. */
const AFTER_OUTPUT_MS = 1_000;

/** Node 22.18 and newer run files with types. */
const OPTIONS =
  'typescript' in process.features && process.features.typescript !== false
    ? ''
    : `--import ${pathToFileURL(join(import.meta.dirname, 'type-stripping.js'))}`;

export type Ended = { readonly output: string; readonly errors: string; readonly code: number | 'stopped' };

/** Runs a program as it is written, in a folder of its own: by its line, or by pasting it into a shell. It is stopped after its first output. */
export async function runAsWritten(code: string, environment: NodeJS.ProcessEnv): Promise<Ended> {
  const folder = folderInProject();
  const line = runLine(code);
  if (line !== null) writeFileSync(join(folder, line.file), code);
  const child = spawn('sh', ['-ec', line?.command ?? code], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_OPTIONS: OPTIONS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: the shell has child processes.
    detached: true,
  });
  try {
    return await ended(child);
  } finally {
    await killGroup(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Inside the project, so that programs find its packages and its commands. */
function folderInProject(): string {
  mkdirSync(join(PROJECT, 'var'), { recursive: true });
  return mkdtempSync(join(PROJECT, 'var/sample-'));
}

async function ended(child: ChildProcess): Promise<Ended> {
  let output = '';
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  const exit = once(child, 'close').then(([code]: unknown[]) => code as number);
  const printed = new Promise<void>((done) => {
    child.stdout?.on('data', (text) => {
      output += text;
      done();
    });
  });
  await Promise.race([exit, printed]);
  const code = await Promise.race([exit, setTimeout(AFTER_OUTPUT_MS, 'stopped' as const)]);
  return { output, errors, code };
}
