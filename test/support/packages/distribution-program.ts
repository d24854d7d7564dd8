import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onPath } from '../../../src/adapters/postgres-server/postgres-binaries.js';

export type Program = {
  readonly file: string;
  /** Where it is from, for people. */
  readonly origin: string;
  /** What it needs in its environment. */
  readonly environment: NodeJS.ProcessEnv;
};

type Wanted = {
  readonly name: string;
  /** The package of Debian and Ubuntu that has the program. */
  readonly inPackage: string;
  /** Where the package has the program. */
  readonly path: string;
};

/**
 * A program that is on the path of the machine, or else, on Debian and Ubuntu, in the packages of the distribution: they
 * are downloaded once and unpacked into `.cache`, without root. Undefined if there is neither.
 */
export function distributionProgram({ name, inPackage, path }: Wanted): Program | undefined {
  const [folder] = onPath(name);
  if (folder !== undefined) return { file: name, origin: `system (${name})`, environment: {} };
  const root = resolve('.cache', inPackage);
  if (!existsSync(join(root, path))) unpack(inPackage, root);
  return existsSync(join(root, path)) ? programIn(root, path) : undefined;
}

/**
 * The program for another user, who perhaps cannot read this checkout: a download is copied into `folder`, which that user can
 * read.
 */
export function programForUser(wanted: Wanted, folder: string): Program | undefined {
  const program = distributionProgram(wanted);
  if (program === undefined || program.file === wanted.name) return program;
  const copy = join(folder, wanted.inPackage);
  cpSync(resolve('.cache', wanted.inPackage), copy, { recursive: true, verbatimSymlinks: true });
  return programIn(copy, wanted.path);
}

const programIn = (root: string, path: string): Program => ({
  file: join(root, path),
  origin: 'packages of the distribution in .cache',
  environment: librariesOf(root),
});

function unpack(inPackage: string, root: string): void {
  if (onPath('apt-get').length === 0 || onPath('dpkg-deb').length === 0) return;
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-debs-'));
  const names = packagesFor(inPackage);
  const loading = spawnSync('apt-get', ['-o', 'APT::Sandbox::User=', 'download', ...names], { cwd: folder });
  if (loading.status === 0) {
    for (const name of readdirSync(folder)) execFileSync('dpkg-deb', ['-x', join(folder, name), root]);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** The package and those that it depends on and the machine does not have. */
function packagesFor(inPackage: string): readonly string[] {
  const { stdout } = spawnSync('apt-get', ['install', '-s', '--no-install-recommends', inPackage], {
    encoding: 'utf8',
  });
  const missing = [...(stdout ?? '').matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
  return missing.length > 0 ? missing : [inPackage];
}

function librariesOf(root: string): NodeJS.ProcessEnv {
  const folders = ['x86_64', 'aarch64']
    .map((kind) => join(root, `usr/lib/${kind}-linux-gnu`))
    .filter(existsSync);
  return folders.length === 0 ? {} : { LD_LIBRARY_PATH: folders.join(':') };
}
