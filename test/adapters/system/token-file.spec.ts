import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { tokenFile } from '../../../src/adapters/system/token-file.js';

describe('The token file', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'oddswire-tokens-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const write = (text: string, mode = 0o600) => {
    writeFileSync(join(dir, 'tokens.json'), text);
    chmodSync(join(dir, 'tokens.json'), mode);
  };
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it('is written once, and read from then on', () => {
    const first = tokenFile(dir);
    expect(first.path).to.equal(join(dir, 'tokens.json'));
    expect(tokenFile(dir)).to.deep.equal(first);
  });

  it('is written to a folder that does not exist yet', () => {
    const deep = join(dir, 'a', 'b');
    expect(tokenFile(deep).tokens).to.deep.equal(tokenFile(deep).tokens);
  });

  it('can be read only by its owner', () => {
    expect(modeOf(tokenFile(dir).path)).to.equal(0o600);
  });

  it('can be read only by its owner, even if it replaces an invalid file that everybody could read', () => {
    write('invalid', 0o644);
    expect(modeOf(tokenFile(dir).path)).to.equal(0o600);
  });

  it('contains two random tokens that a header can carry', () => {
    const { operator, publisher } = tokenFile(dir).tokens;
    expect(operator).to.match(/^op_[A-Za-z0-9_-]{32}$/);
    expect(publisher).to.match(/^pub_[A-Za-z0-9_-]{32}$/);
    const other = mkdtempSync(join(tmpdir(), 'oddswire-tokens-'));
    try {
      expect(tokenFile(other).tokens.operator).not.to.equal(operator);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('keeps tokens that its owner has written', () => {
    write('{"operator":"mine","publisher":"yours","note":"x"}');
    expect(tokenFile(dir).tokens).to.deep.equal({ operator: 'mine', publisher: 'yours' });
  });

  for (const text of [
    '',
    'null',
    '[]',
    '{',
    '{"operator":"only"}',
    '{"publisher":"only"}',
    '{"operator":"","publisher":""}',
    '{"operator":5,"publisher":6}',
    '{"operator":null,"publisher":null}',
  ]) {
    it(`is replaced if its content is ${text || 'empty'}`, () => {
      write(text);
      const { tokens, path } = tokenFile(dir);
      expect(tokens.operator).to.match(/^op_/);
      expect(tokens.publisher).to.match(/^pub_/);
      expect(JSON.parse(readFileSync(path, 'utf8'))).to.deep.equal(tokens);
    });
  }

  it('causes an error if it cannot be written', () => {
    mkdirSync(join(dir, 'tokens.json'));
    expect(() => tokenFile(dir)).to.throw('EISDIR');
  });
});
