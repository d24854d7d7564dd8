import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distributionProgram } from '../packages/distribution-program.js';

const PROGRAM = { name: 'promtool', inPackage: 'prometheus', path: 'usr/bin/promtool' } as const;

/** Runs promtool. Throws with its output if it finds a fault. */
export function promtool(...args: readonly string[]): void {
  const program = distributionProgram(PROGRAM);
  if (program === undefined)
    throw new Error('promtool is neither on the path nor in a package of the distribution');
  const { status, stdout, stderr } = spawnSync(program.file, args, {
    encoding: 'utf8',
    env: { ...process.env, ...program.environment },
  });
  if (status !== 0) throw new Error(`promtool ${args.slice(0, 2).join(' ')}:\n${stdout}${stderr}`);
}

/** Runs promtool with a file that has this content as JSON, which is YAML too. */
export function promtoolWith(args: readonly string[], content: object): void {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-promtool-'));
  try {
    const file = join(folder, 'input.yml');
    writeFileSync(file, JSON.stringify(content));
    promtool(...args, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
