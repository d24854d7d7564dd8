import { expect } from 'chai';
import { parsedUrl } from '../../src/domain/parsed-url.js';

/** More than V8 needs to compile the function. */
const CALLS = 30_000;

describe('A parsed URL', () => {
  it('is null for a text that is no absolute URL', () => {
    for (const text of ['', '/path', 'example.com', 'https://', 'https://a b/'])
      expect(parsedUrl(text)).to.equal(null);
    expect(parsedUrl('https://example.com/a?b')?.href).to.equal('https://example.com/a?b');
  });

  it('has the host in Punycode, also after many calls (T32)', () => {
    const hosts = new Set(Array.from({ length: CALLS }, () => parsedUrl('https://ü.example/ü')?.host));
    expect([...hosts]).to.deep.equal(['xn--tda.example']);
  });
});
