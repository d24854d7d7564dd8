import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { columnsOf, formOf, hasColors } from '../../../packages/client/src/command/output.js';

const output = (isTTY: boolean, columns?: number) =>
  Object.assign(new PassThrough(), { isTTY, ...(columns !== undefined && { columns }) });

describe('The form of results', () => {
  it('is a table on a terminal, and lines of JSON in a pipe or with --json', () => {
    expect(formOf(output(true), false)).to.equal('table');
    expect(formOf(output(true), true)).to.equal('lines');
    expect(formOf(output(false), false)).to.equal('lines');
    expect(formOf(new PassThrough(), false)).to.equal('lines');
  });

  it('has colors only on a terminal that has some, and not with NO_COLOR', () => {
    expect(hasColors(output(true), {})).to.equal(true);
    expect(hasColors(output(true), { NO_COLOR: '' })).to.equal(true);
    expect(hasColors(output(true), { NO_COLOR: '1' })).to.equal(false);
    expect(hasColors(output(true), { TERM: 'dumb' })).to.equal(false);
    expect(hasColors(output(false), {})).to.equal(false);
  });

  it('is as wide as the terminal', () => {
    expect(columnsOf(output(true, 132))).to.equal(132);
    expect(columnsOf(output(true, 0))).to.equal(100);
  });
});
