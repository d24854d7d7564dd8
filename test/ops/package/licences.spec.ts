import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../../support/client/packed.js';
import { lockedPackages, nameAndVersion } from '../../support/packages/locked-packages.js';

/** The list in `docs/dependencies.md`. */
function allowedLicenses(): readonly string[] {
  const [, section = ''] = readFileSync(join(PROJECT, 'docs/dependencies.md'), 'utf8').split(
    '\n## Licenses\n',
  );
  return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, license = '']) => license);
}

describe('The locked packages', () => {
  const packages = [...lockedPackages()];
  const production = packages.filter(([, { dev }]) => !dev);

  it('have, in production, only licenses of the list in docs/dependencies.md, and the list has no other one', () => {
    expect(production.length).to.be.above(100);
    const used = new Map(
      production.map(([path, locked]) => [locked.license ?? `none: ${nameAndVersion(path, locked)}`, path]),
    );
    expect([...used.keys()].sort()).to.deep.equal([...allowedLicenses()].sort());
  });

  it('have the license that the lock file says', () => {
    const other = production.filter(([path, { license, optional }]) => {
      if (optional) return false; // Packages of other platforms are not installed.
      const manifest = JSON.parse(readFileSync(join(PROJECT, path, 'package.json'), 'utf8'));
      return manifest.license !== license;
    });
    expect(other.map(([path]) => path)).to.deep.equal([]);
  });

  it('each have the SHA-512 hash that npm verifies', () => {
    const unverified = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(unverified.map(([path, locked]) => nameAndVersion(path, locked))).to.deep.equal([]);
  });
});
