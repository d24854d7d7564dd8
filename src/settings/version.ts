import { existsSync, readFileSync } from 'node:fs';

/** Paths start at the compiled file. */
const PACKAGE = new URL('../../../package.json', import.meta.url);
/** The commit that `scripts/setup.mjs` found. A copy without a repository has none. */
const COMMIT = new URL('../../commit', import.meta.url);

const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { readonly version: string };

/** The version in package.json; that of unreleased code names its commit too (D142): `0.3.0-dev+1e6a8c61`. */
export const VERSION: string =
  version.includes('-dev') && existsSync(COMMIT) ? `${version}+${readFileSync(COMMIT, 'utf8')}` : version;
