import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { benchModule } from './module.js';

type Judge = (a: number, b: number, again: number) => { readonly verdict: string };
type StartCommand = (root: string) => { readonly flags: readonly string[]; readonly script: string };

describe('npm run bench -- --against', () => {
  // biome-ignore format: a table is read by its columns
  for (const [a, b, again, verdict] of [
    [1_000, 1_000, 1_000, 'within 3 %'],
    [1_000,   970, 1_000, 'within 3 %'],
    [1_000,   969, 1_000, 'slower by 3.1 %'],
    [1_000, 1_031, 1_000, 'faster by 3.1 %'],
    [1_000,   931,   960, 'within 3 %'],
    [1_000,   931, 1_040, 'within 3 %'],
    [1_000,   929,   960, 'slower by 7.1 %'],
    [1_000, 1_080, 1_040, 'faster by 8.0 %'],
  ] as const) {
    it(`reports ${b} requests a second, compared with ${a} and ${again}, as “${verdict}”`, async () => {
      const { judge } = await benchModule<{ readonly judge: Judge }>('verdict.mjs');
      expect(judge(a, b, again).verdict).to.equal(verdict);
    });
  }

  it('reports an unknown commit in one line and measures nothing', () => {
    const script = resolve(import.meta.dirname, '../../../bench/throughput.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--against', 'no-such-commit'], {
      encoding: 'utf8',
    });
    expect(stderr).to.match(/^bench: there is no commit "no-such-commit" in this repository[^\n]*\n$/);
    expect([status, stdout]).to.deep.equal([1, '']);
  });

  it('starts the service of another commit with the start script of its package.json', async () => {
    const { startCommand } = await benchModule<{ readonly startCommand: StartCommand }>('service.mjs');
    const root = mkdtempSync(join(tmpdir(), 'oddswire-start-'));
    const startOf = (start: string) => {
      writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { start } }));
      return startCommand(root);
    };
    expect(startOf('exec node --import ./a.mjs --max-semi-space-size=4 dist/main.js')).to.deep.equal({
      flags: ['--import', './a.mjs', '--max-semi-space-size=4'],
      script: join(root, 'dist/main.js'),
    });
    expect(() => startOf('deno run main.ts')).to.throw('the start script in package.json must be like');
    rmSync(root, { recursive: true });
  });
});
