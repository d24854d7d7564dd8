import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const LINES_MAX = 300;
const FILES_MAX = 15;

const here = resolve(import.meta.dirname, '../../test');
const files = readdirSync(here, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(here, join(parentPath, name)));

/** The folder of a spec names its subject, and a spec is short enough to read completely. */
describe('The tests', () => {
  it(`have at most ${LINES_MAX} lines in each file`, () => {
    const sources = files.filter((file) => file.endsWith('.ts'));
    expect(sources.length).to.be.greaterThan(200);
    const lengths = sources.map((file) => {
      const lines = readFileSync(join(here, file), 'utf8').trimEnd().split('\n').length;
      return { file, lines };
    });
    expect(lengths.filter(({ lines }) => lines > LINES_MAX)).to.deep.equal([]);
  });

  it(`have at most ${FILES_MAX} files in each folder`, () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect(counts.size).to.be.greaterThan(40);
    expect([...counts].filter(([, count]) => count > FILES_MAX)).to.deep.equal([]);
  });
});
