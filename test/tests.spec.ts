import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const LINES_MAX = 300;

const here = resolve(import.meta.dirname, '../../test');
const files = readdirSync(here, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(here, join(parentPath, name)));

/** A spec is short enough to read completely. A file that is longer says why in its first line. */
describe('The tests', () => {
  it(`have at most ${LINES_MAX} lines in each file, or a reason for more`, () => {
    const sources = files.filter((file) => file.endsWith('.ts'));
    expect(sources.length).to.be.greaterThan(200);
    const tooLong = sources.filter((file) => {
      const source = readFileSync(join(here, file), 'utf8').trimEnd();
      return source.split('\n').length > LINES_MAX && !/^\/\/ Longer than 300 lines: .+\./.test(source);
    });
    expect(tooLong).to.deep.equal([]);
  });
});
