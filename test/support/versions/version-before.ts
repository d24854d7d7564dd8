import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type Launched, launchInstance } from '../service/running-service.js';

const PROJECT = resolve(import.meta.dirname, '../../../..');
const PAGES = 'dist/src/adapters/dashboard/browser';

/** The release that tests run together with this version. `scripts/pack-fixture.mjs` packs it. */
export const VERSION_BEFORE = '0.2.0';
/** The last commit before the history: its retention deletes old changes from the log, which 0.2.0 does not. */
export const BEFORE_HISTORY = '0.2.0-96d985c';
export const BUILDS = [VERSION_BEFORE, BEFORE_HISTORY] as const;
type Build = (typeof BUILDS)[number];

export const archiveOf = (build: Build): string => join(PROJECT, `test/fixtures/oddswire-${build}.tgz`);

/** Starts a process of the previous version with the settings of the tests. */
export const launchVersionBefore = (
  environment: Readonly<Record<string, string>>,
  build: Build = VERSION_BEFORE,
): Launched => launchInstance(environment, undefined, join(unpacked(build), 'dist/src/main.js'));

/** A compiled module of the version before, by its path below `src`. */
export const moduleBefore = (path: string, build: Build = VERSION_BEFORE): Promise<unknown> =>
  import(join(unpacked(build), 'dist/src', path));

/**
 * Unpacks the archive below the project, so that its imports resolve to the installed packages. The folder is named
 * after the hash of the archive and appears by a rename, so that a concurrent run never sees an incomplete one.
 */
function unpacked(build: Build): string {
  const archive = archiveOf(build);
  const hash = createHash('sha256').update(readFileSync(archive)).digest('hex').slice(0, 12);
  const folder = join(PROJECT, `.cache/oddswire-${build}-${hash}`);
  if (existsSync(folder)) return folder;
  mkdirSync(join(PROJECT, '.cache'), { recursive: true });
  const fresh = mkdtempSync(`${folder}.`);
  execFileSync('tar', ['-xzf', archive, '-C', fresh]);
  copyAssets(fresh);
  try {
    renameSync(fresh, folder);
  } catch (fault) {
    if (!existsSync(folder)) throw fault;
    rmSync(fresh, { recursive: true, force: true }); // Another test run was faster.
  }
  return folder;
}

/** The archive has only JavaScript. Pages of the previous version get the style sheet and the icon of this one. */
function copyAssets(folder: string): void {
  const assets = readdirSync(join(PROJECT, PAGES)).filter((name) => /\.(?:css|svg)$/.test(name));
  for (const name of assets) cpSync(join(PROJECT, PAGES, name), join(folder, PAGES, name));
}
