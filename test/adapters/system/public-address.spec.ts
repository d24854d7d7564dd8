import { expect } from 'chai';
import { PublicAddress } from '../../../src/adapters/system/public-address.js';

describe('The public URL of the service', () => {
  it('is the setting, with any port of the listener', () => {
    const address = new PublicAddress('https://oddswire.example', 8080);
    address.listening(41_234);
    expect(address.url()).to.equal('https://oddswire.example');
  });

  it('is localhost with the port of the listener if it is not set', () => {
    const address = new PublicAddress(undefined, 0);
    const { url } = address;
    expect(url()).to.equal('http://localhost:0');
    address.listening(41_234);
    expect(url()).to.equal('http://localhost:41234');
    expect([address.isSecure, address.isPrivate]).to.deep.equal([false, true]);
  });

  // biome-ignore format: a table is read by its columns
  const addresses: readonly (readonly [url: string, isSecure: boolean, isPrivate: boolean])[] = [
    ['https://oddswire.example',           true,  true],
    ['https://192.0.2.1:8443',             true,  true],
    ['https://localhost',                  true,  true],
    ['http://localhost',                   false, true],
    ['http://LOCALHOST:8080',              false, true],
    ['http://127.0.0.1:8080',              false, true],
    ['http://[::1]:8080',                  false, true],
    ['http://oddswire.example',            false, false],
    ['http://192.0.2.1',                   false, false],
    ['http://localhost.evil.example',      false, false],
    ['http://127.0.0.1.evil.example',      false, false],
    ['http://localhost@evil.example',      false, false],
    ['http://https.example',               false, false],
    ['http://[2001:db8::1]',               false, false],
  ];
  for (const [url, isSecure, isPrivate] of addresses) {
    it(`is ${isPrivate ? 'private' : 'not private'} if it is ${url}`, () => {
      const address = new PublicAddress(url, 8080);
      expect([address.url(), address.isSecure, address.isPrivate]).to.deep.equal([url, isSecure, isPrivate]);
    });
  }
});
