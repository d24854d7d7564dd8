import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, PROJECT } from '../client/packed.js';
import { isRequired, lockedPackages } from './locked-packages.js';

export type InstalledService = {
  /** A folder that contains only the installed package. */
  readonly folder: string;
  readonly packedBytes: number;
  readonly remove: () => void;
};

/** Packs the service and installs the file, with its production packages, into an empty folder. */
export async function installService(): Promise<InstalledService> {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-packed-'));
  const output = await npm(PROJECT, 'pack', '--json', '--pack-destination', folder);
  const packed: unknown = JSON.parse(output);
  const [{ filename }] = Object.values(packed as object) as [{ readonly filename: string }];
  writeLock(folder);
  await npm(folder, 'install', '--prefer-offline', '--omit=dev', '--omit=optional', join(folder, filename));
  const packedBytes = statSync(join(folder, filename)).size;
  return { folder, packedBytes, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The versions of the lock file are in the cache of npm, because the project is installed. Newer ones need the registry. */
function writeLock(folder: string): void {
  const required = [...lockedPackages()].filter(([, locked]) => isRequired(locked));
  const packages = { '': {}, ...Object.fromEntries(required) };
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
}
