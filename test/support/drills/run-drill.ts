import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

export type DrillResult = {
  readonly code: number;
  /** What it has written, errors included. */
  readonly output: string;
};

/** Runs a script of `ops/drills/` with this environment, as an operator does. */
export async function runDrill(
  name: string,
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<DrillResult> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('sh', [resolve(`ops/drills/${name}.sh`), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, ...environment },
  });
  const [output, faults, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code: Number(code), output: `${output}${faults}` };
}
