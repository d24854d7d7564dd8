import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PROJECT = resolve(import.meta.dirname, '../../../..');

/** An entry of `package-lock.json`. */
export type LockedPackage = {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: true;
  readonly optional?: true;
  /** Only optional packages and development packages depend on it. */
  readonly devOptional?: true;
  /** A package of this repository. */
  readonly link?: true;
};

/** The entries of `package-lock.json` by their paths, without those of this repository. */
export function lockedPackages(): ReadonlyMap<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return new Map(
    Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link),
  );
}

/** What `npm ci --omit=dev --omit=optional` installs. */
export const isRequired = ({ dev, optional, devOptional }: LockedPackage): boolean =>
  !(dev || optional || devOptional);

/** `koa@3.3.0`: name and version of an entry. */
export const nameAndVersion = (path: string, { version }: LockedPackage): string =>
  `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
