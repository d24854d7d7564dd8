import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const LINES_MAX = 300;

const here = resolve(import.meta.dirname, '../../test');
const files = readdirSync(here, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(here, join(parentPath, name)));

/** A spec is short enough to read completely. */
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
});
