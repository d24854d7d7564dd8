import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const project = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(project, file), 'utf8');

describe('README.md', () => {
  const readme = read('README.md');

  it('names files that are there', () => {
    const named = [...readme.matchAll(/`((?:src|test|docs|\.ci)\/[\w./-]+)`/g)].map(([, path]) => path ?? '');
    expect(named.length).to.be.greaterThan(20);
    expect(named.filter((path) => !existsSync(join(project, path)))).to.deep.equal([]);
  });

  it('tells of every setting, as .env.example does', () => {
    const settings = read('.env.example').match(/^[A-Z_]+(?==)/gm) ?? [];
    const sources = [
      'src/config.ts',
      'src/identity-settings.ts',
      'src/payment-settings.ts',
      'src/adapters/import/publisher-token.ts',
    ]
      .map(read)
      .join('\n');
    const used = [...sources.matchAll(/read\.\w+\(\s*'([A-Z_]+)'/g)].map(([, name]) => name ?? '');
    expect(used.length).to.be.greaterThan(10);
    expect(settings).to.include.members(used);
    expect(settings.filter((name) => !readme.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('has at most 150 lines', () => {
    expect(readme.split('\n').length).to.be.at.most(150);
  });
});
