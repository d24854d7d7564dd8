import { expect } from 'chai';
import fc from 'fast-check';
import { readLabel } from '../../src/domain/label.js';
import { runs } from '../support/builders.js';

describe('The label of a key (D26)', () => {
  const accepted: readonly (readonly [text: string, label: string, why: string])[] = [
    ['a', 'a', 'one character'],
    ['production', 'production', 'a word'],
    ['  staging\t', 'staging', 'trimmed'],
    ['\n staging \r\n', 'staging', 'trimmed of line ends'],
    ['two words', 'two words', 'a space within'],
    ['Zürich 東京 🚀', 'Zürich 東京 🚀', 'any script'],
    ['x'.repeat(64), 'x'.repeat(64), '64 characters'],
    [` ${'x'.repeat(64)} `, 'x'.repeat(64), '64 characters once trimmed'],
    ['🚀'.repeat(64), '🚀'.repeat(64), '64 characters of two code units'],
    ['<b>&amp;"\'</b>', '<b>&amp;"\'</b>', 'markup is text'],
  ];
  for (const [text, label, why] of accepted) {
    it(`takes ${why} (D26)`, () => {
      expect(readLabel(text)).to.equal(label);
    });
  }

  const refused: readonly (readonly [text: string, why: string])[] = [
    ['', 'nothing'],
    ['   ', 'blanks alone'],
    ['x'.repeat(65), '65 characters'],
    ['🚀'.repeat(65), '65 characters of two code units'],
    ['a\u0000b', 'a NUL'],
    ['a\nb', 'a line end within'],
    ['a\tb', 'a tab within'],
    ['a\u007fb', 'DEL'],
    ['a\u0085b', 'a control character of Latin-1'],
    ['\u001b[31mred', 'an escape sequence'],
    ['a\ud83d', 'half a character'],
  ];
  for (const [text, why] of refused) {
    it(`refuses ${why} (D26)`, () => {
      expect(readLabel(text)).to.have.property('refused', 'invalid_body');
      expect(readLabel(text)).to.have.nested.property('faults[0].parameter', '/label');
      expect(readLabel(text)).to.have.nested.property('faults[0].code', 'invalid_label');
    });
  }

  it('is the text without what stands around it, of 1 to 64 characters, whenever it is taken (D26)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const label = readLabel(text);
        if (typeof label !== 'string') return;
        expect(label).to.equal(text.trim());
        expect([...label].length).to.be.within(1, 64);
        expect(readLabel(label)).to.equal(label);
      }),
      runs(300),
    );
  });
});
