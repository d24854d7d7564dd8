import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../src/settings/config.js';

const project = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(project, file), 'utf8');

describe('README.md', () => {
  const readme = read('README.md');

  it('has at most 150 lines', () => {
    expect(readme.split('\n').length).to.be.at.most(150);
  });

  it('names files that are there', () => {
    const named = [...readme.matchAll(/`((?:src|test|docs|\.ci)\/[\w./-]+)`/g)].map(([, path]) => path ?? '');
    expect(named.length).to.be.greaterThan(20);
    expect(named.filter((path) => !existsSync(join(project, path)))).to.deep.equal([]);
  });
});

describe('docs/settings.md', () => {
  it('has a row for every setting, as .env.example has a line', () => {
    const settings = read('.env.example').match(/^[A-Z_]+(?==)/gm) ?? [];
    const used = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void used.add(String(name)) }));
    expect(used.size).to.be.greaterThan(50);
    expect(settings).to.have.members([...used]);
    const documented = read('docs/settings.md');
    expect(settings.filter((name) => !documented.includes(`\`${name}\``))).to.deep.equal([]);
  });
});

describe('docs/limits.md', () => {
  it('names a test that is there in each of its rows', () => {
    const rows = read('docs/limits.md').split('\n');
    const bounds = rows.filter(
      (line) => line.startsWith('|') && !/^\|(?: an unauthenticated client|-)/.test(line),
    );
    expect(bounds.length).to.be.greaterThan(25);
    const unheld = bounds.filter((row) => {
      const tests = row.match(/test\/[\w/-]+\.spec\.ts/g) ?? [];
      return tests.length === 0 || tests.some((test) => !existsSync(join(project, test)));
    });
    expect(unheld).to.deep.equal([]);
  });
});
