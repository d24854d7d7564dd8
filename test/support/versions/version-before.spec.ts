import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect } from 'chai';
import { archiveOf, BUILDS } from './version-before.js';

const BYTES_MAX = 1_000_000;

const tar = (...args: readonly string[]): string => execFileSync('tar', args, { encoding: 'utf8' });

for (const build of BUILDS)
  describe(`The archive of the previous version: ${build}`, () => {
    const archive = archiveOf(build);
    it('has at most 1 MB', () => {
      expect(statSync(archive).size).to.be.at.most(BYTES_MAX);
    });

    it('contains only package.json and compiled JavaScript: no source and no source map', () => {
      const names = tar('-tzf', archive).trim().split('\n');
      expect(names).to.include.members(['package.json', 'dist/src/main.js']);
      const others = names.filter((name) => name !== 'package.json' && !/^dist\/src\/.+\.js$/.test(name));
      expect(others).to.deep.equal([]);
    });

    it('has the version of its name', () => {
      const { version } = JSON.parse(tar('-xzOf', archive, 'package.json')) as { readonly version: string };
      expect(version).to.equal(build.split('-')[0]);
    });
  });
