import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Check } from '../../../src/adapters/findings/check.js';
import { spawnMain } from '../service/running-service.js';

/** The doctor as one file (`scripts/setup.mjs`). The tests of the package run its modules. */
const DOCTOR = resolve(import.meta.dirname, '../../../test-programs/doctor.cjs');

export type Diagnosis = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs the command. Throws if its output contains one of the secrets. */
export async function runDoctor(
  settings: Readonly<Record<string, string>>,
  args: readonly string[],
  secrets: readonly string[] = [],
): Promise<Diagnosis> {
  const child = spawnMain(settings, DOCTOR, { args });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  expect(secrets.filter((secret) => `${stdout}${stderr}`.includes(secret))).to.deep.equal([]);
  return { code, stdout, stderr };
}

/** The checks of a run with `--json`, by their names, and its exit code. */
export async function diagnose(
  settings: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Promise<{ readonly code: number | null; readonly checks: ReadonlyMap<string, Check> }> {
  const { code, stdout, stderr } = await runDoctor(settings, ['--json'], secrets);
  expect(stderr).to.equal('');
  const checks = JSON.parse(stdout) as readonly Check[];
  return { code, checks: new Map(checks.map((check) => [check.check, check])) };
}

/** The names of the checks with a result. */
export const withResult = (checks: ReadonlyMap<string, Check>, result: Check['result']): readonly string[] =>
  [...checks.values()].filter((each) => each.result === result).map(({ check }) => check);
