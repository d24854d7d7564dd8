import { expect } from 'chai';
import fc from 'fast-check';
import { isPlainLoopback } from '../../src/domain/plain-loopback.js';
import { runs } from '../support/objects/builders.js';

describe('A plain HTTP URL to this machine', () => {
  // biome-ignore format: a table is read by its columns
  const urls = [
    ['http://localhost',                   true],
    ['http://LOCALHOST:3000/path?query',   true],
    ['http://user:password@localhost/',    true],
    ['http://127.0.0.1:80',                true],
    ['http://127.1',                       true],
    ['http://0x7f.0.0.1',                  true],
    ['http://[::1]:3000',                  true],
    ['http://[0:0:0:0:0:0:0:1]',           true],
    ['https://localhost',                  false],
    ['https://127.0.0.1',                  false],
    ['ws://localhost',                     false],
    ['ftp://localhost',                    false],
    ['http://localhost.example.org',       false],
    ['http://example.org/localhost',       false],
    ['http://localhost@example.org',       false],
    ['http://127.0.0.1.example.org',       false],
    ['http://128.0.0.1',                   false],
    ['http://10.0.0.1',                    false],
    ['http://0.0.0.0',                     false],
    ['http://[::]',                        false],
    ['http://[::2]',                       false],
    ['http://[fe80::1]',                   false],
  ] as const;
  for (const [url, isOne] of urls) {
    it(`${isOne ? 'can be' : 'cannot be'} ${url}`, () => {
      expect(isPlainLoopback(url)).to.equal(isOne);
    });
  }

  it('can have any address of 127.0.0.0/8, and no other IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPlainLoopback(`http://${address}/`)).to.equal(address.startsWith('127.'));
        const [, ...rest] = address.split('.');
        expect(isPlainLoopback(`http://127.${rest.join('.')}/`)).to.equal(true);
      }),
      runs(100),
    );
  });

  it('is not checked for a text that is not a URL: that throws', () => {
    expect(() => isPlainLoopback('localhost')).to.throw(TypeError);
  });
});
