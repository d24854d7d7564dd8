import { expect } from 'chai';
import fc from 'fast-check';
import { fitted, tableLines } from '../../../packages/client/src/command/table.js';

const COLUMNS = [{ title: 'id' }, { title: 'headline', isLong: true }, { title: 'n' }] as const;

describe('A table on a terminal', () => {
  it('aligns its columns, and cuts the long one', () => {
    const rows = [
      ['a', 'A headline that is longer than the terminal is wide', '1'],
      ['bcd', 'Short', '22'],
    ];
    expect(tableLines(COLUMNS, rows, 40)).to.deep.equal([
      'ID   HEADLINE                         N',
      'a    A headline that is longer than…  1'.replace('than…', 'than…'),
      'bcd  Short                            22',
    ]);
  });

  it('has only its titles without rows', () => {
    expect(tableLines(COLUMNS, [], 80)).to.deep.equal(['ID  HEADLINE  N']);
  });

  it('has no line wider than the terminal, and no control character, whatever the cells are', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
    const short = fc.string({ unit: 'grapheme-ascii', maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(short, cell, short), { maxLength: 5 }),
        fc.integer({ min: 45, max: 120 }),
        (rows, width) => {
          for (const line of tableLines(COLUMNS, rows, width)) {
            expect([...line].length).to.be.at.most(width);
            expect(line).not.to.match(/\p{Cc}/u);
          }
        },
      ),
    );
  });

  it('cuts a text to a width', () => {
    expect(fitted('abcdef', 6)).to.equal('abcdef');
    expect(fitted('abcdefg', 6)).to.equal('abcde…');
    expect(fitted('a\u001b[2Jb', 10)).to.equal('a\ufffd[2Jb');
  });
});
