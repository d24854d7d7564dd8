import { expect } from 'chai';
import fc from 'fast-check';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { readLabel } from '../../../src/domain/keys/label.js';
import { runs } from '../../support/objects/builders.js';

const svc = keyFormat('svc_');
const KEY = `svc_${'aB3-'.repeat(10)}_zA`;

describe('The label of a key (D26)', () => {
  const accepted: readonly (readonly [text: string, label: string, why: string])[] = [
    ['a', 'a', 'be one character'],
    ['production', 'production', 'be a word'],
    ['  staging\t', 'staging', 'be a word with blanks around it, which are dropped'],
    ['\n staging \r\n', 'staging', 'be a word with line ends around it, which are dropped'],
    ['two words', 'two words', 'be words with a space between'],
    ['Zürich 東京 🚀', 'Zürich 東京 🚀', 'have letters of any script'],
    ['x'.repeat(64), 'x'.repeat(64), 'have 64 characters'],
    [` ${'x'.repeat(64)} `, 'x'.repeat(64), 'have 64 characters after trimming'],
    ['🚀'.repeat(64), '🚀'.repeat(64), 'have 64 characters of two code units'],
    ['<b>&amp;"\'</b>', '<b>&amp;"\'</b>', 'be markup, as text'],
  ];
  for (const [text, label, why] of accepted) {
    it(`may ${why} (D26)`, () => {
      expect(readLabel(text, svc)).to.equal(label);
    });
  }

  const refused: readonly (readonly [text: string, why: string])[] = [
    ['', 'be empty'],
    ['   ', 'be only blanks'],
    ['x'.repeat(65), 'have 65 characters'],
    ['🚀'.repeat(65), 'have 65 characters of two code units'],
    ['a\u0000b', 'have a NUL'],
    ['a\nb', 'have a line end within'],
    ['a\tb', 'have a tab within'],
    ['a\u007fb', 'have DEL'],
    ['a\u0085b', 'have a control character of Latin-1'],
    ['\u001b[31mred', 'have an escape sequence'],
    ['a\ud83d', 'have a lone surrogate'],
  ];
  for (const [text, why] of refused) {
    it(`may not ${why} (D26)`, () => {
      expect(readLabel(text, svc)).to.have.property('refused', 'invalid_body');
      expect(readLabel(text, svc)).to.have.nested.property('faults[0].parameter', '/label');
      expect(readLabel(text, svc)).to.have.nested.property('faults[0].code', 'invalid_label');
    });
  }

  for (const text of [KEY, `SVC_${KEY.slice(4)}`, `my ${KEY}`, KEY.slice(0, 30), `%73vc_${KEY.slice(4)}`]) {
    it(`may not look like a key, and the fault does not repeat it (D19, D26)`, () => {
      const refusal = readLabel(text, svc);
      expect(refusal).to.have.nested.property('faults[0].code', 'invalid_label');
      expect(refusal)
        .to.have.nested.property('faults[0].message')
        .that.includes('must not contain an API key');
      expect(JSON.stringify(refusal)).to.not.include(KEY.slice(12, 24));
    });
  }

  it('may begin like a key, as a shown prefix does (D42)', () => {
    for (const text of ['svc_', KEY.slice(0, 12), `${KEY.slice(0, 12)}… (old)`]) {
      expect(readLabel(text, svc)).to.equal(text);
    }
  });

  it('is the trimmed text of 1 to 64 characters, if it is accepted (D26)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const label = readLabel(text, svc);
        if (typeof label !== 'string') return;
        expect(label).to.equal(text.trim());
        expect([...label].length).to.be.within(1, 64);
        expect(readLabel(label, svc)).to.equal(label);
      }),
      runs(300),
    );
  });
});
