import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { onPath } from '../../../src/adapters/postgres-server/postgres-binaries.js';
import { distributionProgram } from '../packages/distribution-program.js';
import type { Buildah } from './buildah.js';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const NPM_CACHE = '/npm-cache';

/**
 * Builds an image that stands in for `node:24-slim` where no registry of images can be reached: a shell, and the Node and
 * the npm of this machine. Returns the parameters of a build that uses it, or undefined if there is no busybox.
 */
export async function buildStandInBase(
  buildah: Buildah,
  folder: string,
): Promise<readonly string[] | undefined> {
  const busybox = busyboxFile();
  if (busybox === undefined) return undefined;
  const root = join(folder, 'base');
  for (const name of ['bin', 'usr/bin', 'usr/lib/node_modules', 'etc/ssl/certs', 'proc', 'dev'])
    mkdirSync(join(root, name), { recursive: true });
  mkdirSync(join(root, 'tmp'), { mode: 0o1777 });
  copyShell(busybox, root);
  copyNode(root);
  if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, join(root, CERTIFICATES));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  const file = join(folder, 'Base.Dockerfile');
  const npm = `npm_config_cache=${NPM_CACHE} npm_config_prefer_offline=true npm_config_registry=${npmSetting('registry')}`;
  writeFileSync(
    file,
    `FROM scratch\nCOPY base/ /\nENV PATH=/usr/bin:/bin NODE_EXTRA_CA_CERTS=${CERTIFICATES} ${npm}\n`,
  );
  const name = 'localhost/oddswire-base';
  await buildah.build(name, '--file', file, folder);
  const cache = npmSetting('cache');
  return ['--build-arg', `NODE_IMAGE=${name}`, '--volume', `${cache}:${NPM_CACHE}`];
}

const npmSetting = (name: string): string =>
  execFileSync('npm', ['config', 'get', name, '--loglevel=error'], { encoding: 'utf8' }).trim();

function busyboxFile(): string | undefined {
  const [folder] = onPath('busybox');
  if (folder !== undefined) return join(folder, 'busybox');
  return distributionProgram({ name: 'busybox', inPackage: 'busybox-static', path: 'bin/busybox' })?.file;
}

function copyShell(busybox: string, root: string): void {
  copyProgram(busybox, root, 'bin/busybox');
  const names = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  for (const name of names) if (name !== 'busybox') symlinkSync('busybox', join(root, 'bin', name));
  symlinkSync('/bin/env', join(root, 'usr/bin/env')); // The first line of npm and of other programs names it.
}

function copyNode(root: string): void {
  copyProgram(realpathSync(process.execPath), root, 'usr/bin/node');
  const [bin = ''] = onPath('npm');
  cpSync(dirname(bin), join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
}

/** Copies a program and the libraries that it loads. */
function copyProgram(file: string, root: string, to: string): void {
  copyFileSync(file, join(root, to));
  const { stdout = '' } = spawnSync('ldd', [file], { encoding: 'utf8' });
  for (const [, library = ''] of stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}
