import { expect } from 'chai';
import fc from 'fast-check';
import { isWebLink } from '../../../src/domain/feed/web-link.js';

describe('A link of an item (D41)', () => {
  for (const text of [
    'https://example.com',
    'http://example.com:8080/a/b',
    'HTTPS://Example.com/A',
    'https://news.example/p%C3%A1gina?q=a%7Cb&x=%5B1%5D#part-2',
    'https://xn--e1afmkfd.xn--p1ai/',
    'https://[2001:db8::1]/x',
    'https://a_b.example/?u=https://other.example/?c=1',
    "https://example.com/a;b=(c)!*'~,@",
  ])
    it(`may be ${text}`, () => {
      expect(isWebLink(text)).to.equal(true);
    });

  for (const text of [
    ...[
      '',
      'news',
      '/news',
      '//example.com/',
      'example.com/a',
      'https://',
      'https:///a',
      'https:/example.com',
    ],
    ...['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com/', 'mailto:a@example.com'],
    ...['https://user@example.com/', 'https://user:pw@example.com/', 'https://example.com@other.example/'],
    ...['https://example.com/página', 'https://пример.рф/', 'https://example.com/a|b?x=[1]'],
    ...[
      'https://example.com/a b',
      ' https://example.com/',
      'https://example.com/\n',
      'https://example.com/%zz',
    ],
    ...['https://example.com:99999/', 'https://[::1/', 'https://example.com/<b>', 'https://example.com/"x'],
  ])
    it(`may not be ${JSON.stringify(text)}`, () => {
      expect(isWebLink(text)).to.equal(false);
    });

  it('is read by every client as http or https, without a user name', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string(), (url, more) => {
        for (const text of [url, more, `${url}${more}`]) {
          if (!isWebLink(text)) continue;
          const { protocol, username, password } = new URL(text);
          expect(['http:', 'https:']).to.include(protocol);
          expect([username, password]).to.deep.equal(['', '']);
        }
      }),
    );
  });
});
