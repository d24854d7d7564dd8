import { expect } from 'chai';
import { readReason } from '../../../src/domain/accounts/reason.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';

const svc = keyFormat('svc_');
const KEY = `svc_${'aB3-'.repeat(10)}_zA`;

describe('The reason of an action (D25)', () => {
  const accepted: readonly (readonly [text: string, reason: string, why: string])[] = [
    ['x', 'x', 'one character'],
    ['  ticket 7\r\n', 'ticket 7', 'trimmed'],
    ['one\r\ntwo\n\nthree', 'one\ntwo\n\nthree', 'lines, whatever the form of their line breaks'],
    ['x'.repeat(500), 'x'.repeat(500), '500 characters'],
    [` ${'🚀'.repeat(500)} `, '🚀'.repeat(500), '500 characters of two code units, after trimming'],
    ['<b>&</b>', '<b>&</b>', 'markup, as text'],
    [`leaked: ${KEY}`, 'leaked: svc_[redacted]', 'a text whose key is redacted (D19)'],
    [
      `leaked: Svc_${KEY.slice(4)}!`,
      'leaked: svc_[redacted]!',
      'a text whose key is redacted in any letter case (D19)',
    ],
    [`${'x'.repeat(460)} ${KEY}`, `${'x'.repeat(460)} svc_[redacted]`, '500 characters without the key'],
  ];
  for (const [text, reason, why] of accepted) {
    it(`may be ${why}`, () => {
      expect(readReason(text, svc)).to.equal(reason);
    });
  }

  const refused: readonly (readonly [text: string, why: string])[] = [
    ['', 'an empty text'],
    [' \r\n\t ', 'only blanks'],
    ['x'.repeat(501), '501 characters'],
    ['x'.repeat(3_000), '3 000 characters'],
    ['a\tb', 'a tab within'],
    ['a\rb', 'a carriage return without a line feed'],
    ['a\u0000b', 'a NUL'],
    ['\u001b[31mred', 'an escape sequence'],
    ['a\ud83d', 'a lone surrogate'],
  ];
  for (const [text, why] of refused) {
    it(`may not be ${why}`, () => {
      expect(readReason(text, svc)).to.have.property('refused', 'invalid_body');
    });
  }
});
