import { expect } from 'chai';
import { isReadable } from '../../src/domain/readable-text.js';

describe('A text that people read', () => {
  const cases: readonly (readonly [title: string, text: string, isReadable: boolean])[] = [
    ['a word', 'production', true],
    ['letters of several scripts', 'Zürich 東京 القاهرة תל אביב', true],
    ['a letter with a combining accent', 'cafe\u0301', true],
    ['an emoji', '🚀', true],
    ['an emoji with a variation selector', '❤️', true],
    ['a family of joined emoji', '👩‍👩‍👧‍👦 home', true],
    ['an emoji with a skin colour', '👍🏽', true],
    ['a flag of tags', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', true],
    ['nothing', '', false],
    ['blanks of any width', ' \u00a0\u2003\u3000', false],
    ['a zero-width space within', 'a\u200bb', false],
    ['only a zero-width space', '\u200b', false],
    ['a soft hyphen', 'a\u00adb', false],
    ['a mark that turns the direction', 'a\u202egnp.exe', false],
    ['an isolate of direction', '\u2066a\u2069', false],
    ['a joiner between letters', 'a\u200db', false],
    ['only a filler of Hangul', '\u3164', false],
    ['only a pattern of Braille without dots', '\u2800', false],
    ['only a variation selector', '\ufe0f', false],
    ['a control character', 'a\u0000', false],
    ['half of a character', 'a\ud83d', false],
  ];
  for (const [title, text, expected] of cases)
    it(`${expected ? 'may be' : 'may not be'} ${title}`, () => {
      expect(isReadable(text)).to.equal(expected);
    });
});
