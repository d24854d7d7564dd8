import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { send } from '../../support/service/client.js';
import { launchNpm } from '../../support/service/running-service.js';

const PROJECT = resolve(import.meta.dirname, '../../../..');

type Lock = {
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly optional?: true }>>;
};

/** Copies the packages that `npm ci --omit=dev --omit=optional` installs: no compiler, no test tools. */
function copyProductionPackages(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as Lock;
  for (const [path, { dev, optional }] of Object.entries(packages)) {
    if (path === '' || dev || optional) continue;
    // A nested package has its own entry in the lock file.
    const filter = (source: string) => source === join(PROJECT, path) || !source.endsWith('/node_modules');
    cpSync(join(PROJECT, path), join(folder, path), { recursive: true, filter });
  }
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}');
}

describe('A built package', function () {
  this.timeout(60_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-package-'));
    for (const name of ['dist', 'scripts', 'package.json', 'package-lock.json'])
      cpSync(join(PROJECT, name), join(folder, name), { recursive: true });
    copyProductionPackages(folder);
    expect(existsSync(join(folder, 'node_modules/typescript'))).to.equal(false);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const npm = (...args: readonly string[]) =>
    spawnSync('npm', args, { cwd: folder, env: { PATH: process.env['PATH'] ?? '' }, encoding: 'utf8' });

  it('starts with npm start, without a compiler and without sources', async () => {
    const { stop, listening } = launchNpm(['start'], { STATE_DIR: join(folder, 'var') }, folder);
    try {
      const { url, internalUrl } = await listening;
      expect((await send(`${internalUrl}/readyz`, {})).status).to.equal(200);
      expect((await send(`${url}/pm/v2/news`, {})).status).to.equal(401);
      expect((await send(`${url}/dashboard`, {})).status).to.be.oneOf([200, 303]);
      expect((await send(`${url}/docs/stream`, {})).text).to.include(
        'Follow the feed without losing anything',
      );
    } finally {
      await stop();
    }
  });

  it('needs no build with unchanged sources; with changed ones the error names the commands', () => {
    mkdirSync(join(folder, 'src'));
    cpSync(join(PROJECT, 'src'), join(folder, 'src'), { recursive: true });
    expect(npm('run', 'build').status).to.equal(0);
    writeFileSync(join(folder, 'src/main.ts'), '');
    const { status, stderr } = npm('run', 'build');
    expect(status).to.equal(1);
    expect(stderr).to.include('TypeScript is not installed: run npm ci, then npm run build');
    rmSync(join(folder, 'src'), { recursive: true });
  });

  it('without a build fails with one line', () => {
    rmSync(join(folder, 'dist/.stamp'));
    const { status, stderr } = npm('start');
    expect(status).to.equal(1);
    expect(stderr).to.include('oddswire: dist/ has no build, and src/ is missing');
  });
});
