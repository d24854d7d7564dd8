import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { VERSION } from '../../src/settings/version.js';

const PROJECT = resolve(import.meta.dirname, '../../..');
const versionIn = (file: string): string => JSON.parse(readFileSync(join(PROJECT, file), 'utf8')).version;

describe('The version of the service', () => {
  it('is that of package.json, and names a commit only if the code is unreleased', () => {
    const [version, ...commit] = VERSION.split('+');
    expect(version).to.equal(versionIn('package.json'));
    const namesCommit = VERSION.includes('-dev') && existsSync(join(PROJECT, '.git'));
    expect(commit.join()).to.match(namesCommit ? /^[0-9a-f]{8}$/ : /^$/);
  });

  it('is that of the client and of the lock file too', () => {
    const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'));
    const { '': root, 'packages/client': client } = lock.packages;
    const versions = [versionIn('packages/client/package.json'), lock.version, root.version, client.version];
    expect(new Set(versions)).to.deep.equal(new Set([versionIn('package.json')]));
  });
});
