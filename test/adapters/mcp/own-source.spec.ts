import { expect } from 'chai';
import { isOwnSource } from '../../../src/adapters/mcp/own-source.js';

const PUBLIC = 'api.oddswire.test';

// biome-ignore format: a table is read by its columns
const ROWS: readonly (readonly [host: string | undefined, origin: string | undefined, isOwn: boolean])[] = [
  ['api.oddswire.test',        undefined,                           true],
  ['API.Oddswire.test.:443',   undefined,                           true],
  ['localhost:8080',           undefined,                           true],
  ['127.0.0.1:8080',           undefined,                           true],
  ['[::1]:8080',               undefined,                           true],
  [undefined,                  undefined,                           true],
  ['localhost:8080',           'http://localhost:6274',             true],
  ['api.oddswire.test',        'https://api.oddswire.test',         true],
  ['api.oddswire.test',        'https://API.oddswire.test:8443',    true],
  ['evil.example',             undefined,                           false],
  ['evil.example:8080',        'http://evil.example:8080',          false],
  ['api.oddswire.test.evil.example', undefined,                     false],
  ['evil.example@localhost',   undefined,                           false],
  ['localhost.evil.example',   undefined,                           false],
  ['10.0.0.1',                 undefined,                           false],
  ['',                         undefined,                           false],
  ['localhost/x',              undefined,                           false],
  ['localhost:8080',           'http://evil.example',               false],
  ['localhost:8080',           'null',                              false],
  ['localhost:8080',           '',                                  false],
  ['localhost:8080',           'http://localhost@evil.example',     false],
  ['localhost:8080',           'http://localhost.evil.example',     false],
  ['localhost:8080',           'chrome-extension://localhost',      false],
  ['localhost:8080',           'http://localhost/path',             false],
];

describe('The source of a request', () => {
  it('is own if the public host is written with the dot of the root', () => {
    expect(isOwnSource({ host: PUBLIC, origin: `https://${PUBLIC}` }, `${PUBLIC}.`)).to.equal(true);
  });

  for (const [host, origin, isOwn] of ROWS) {
    it(`is ${isOwn ? 'own' : 'foreign'} with Host ${host ?? 'absent'} and Origin ${origin ?? 'absent'}`, () => {
      expect(isOwnSource({ host, origin }, PUBLIC)).to.equal(isOwn);
    });
  }
});
