import { expect } from 'chai';
import { clipped, linkOf, oneLine } from '../../../src/adapters/destinations/publisher-text.js';

describe('A text of a publisher', () => {
  it('is one line without characters that hide something', () => {
    expect(oneLine(' a\r\n\tb\u2028c\u0000d ')).to.equal('a b c d');
    expect(oneLine('a\u200bb\u202ec\u2066d\ufeffe\u00adf\u3164g\ud800h\uffffi')).to.equal('abcdefghi');
    expect(oneLine('❤️ Zürich 日本 👍🏽')).to.equal('❤️ Zürich 日本 👍🏽');
    expect([oneLine(null), oneLine(undefined), oneLine('\u200b')]).to.deep.equal(['', '', '']);
  });

  it('is clipped to a length, and never within a character', () => {
    expect([clipped('abc', 3), clipped('abcd', 3), clipped('ab cd', 4)]).to.deep.equal(['abc', 'ab…', 'ab…']);
    expect([clipped('a👍👍', 4), clipped('a👍👍', 5)]).to.deep.equal(['a👍…', 'a👍👍']);
    const written = (character: string) => (character === '&' ? '&amp;' : character);
    expect([clipped('a&', 6, written), clipped('a&', 5, written)]).to.deep.equal(['a&amp;', 'a…']);
  });

  it('is a link only if it is one of http or https, and not too long', () => {
    expect(linkOf('https://a.example/b', 19)).to.equal('https://a.example/b');
    for (const link of [
      null,
      undefined,
      '',
      'javascript:alert(1)',
      'https://u@a.example',
      'https://a.example/bc',
    ])
      expect(linkOf(link, 19), String(link)).to.equal(null);
  });
});
