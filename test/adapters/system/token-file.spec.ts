import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { tokenFile } from '../../../src/adapters/system/token-file.js';

describe('The file of tokens', () => {
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

  it('is made once, and read from then on', () => {
    const first = tokenFile(dir);
    expect(first.path).to.equal(join(dir, 'tokens.json'));
    expect(tokenFile(dir)).to.deep.equal(first);
  });

  it('is made in a folder that is not there yet', () => {
    const deep = join(dir, 'a', 'b');
    expect(tokenFile(deep).tokens).to.deep.equal(tokenFile(deep).tokens);
  });

  it('may be read by its owner only', () => {
    expect(modeOf(tokenFile(dir).path)).to.equal(0o600);
  });

  it('may be read by its owner only, also where one that everybody could read was of no use', () => {
    write('of no use', 0o644);
    expect(modeOf(tokenFile(dir).path)).to.equal(0o600);
  });

  it('holds two tokens that nobody can guess, and that a header can carry', () => {
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

  it('keeps tokens that its owner wrote', () => {
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
    it(`is made anew where it holds ${text || 'nothing'}`, () => {
      write(text);
      const { tokens, path } = tokenFile(dir);
      expect(tokens.operator).to.match(/^op_/);
      expect(tokens.publisher).to.match(/^pub_/);
      expect(JSON.parse(readFileSync(path, 'utf8'))).to.deep.equal(tokens);
    });
  }

  it('is said to be impossible where it cannot be written', () => {
    mkdirSync(join(dir, 'tokens.json'));
    expect(() => tokenFile(dir)).to.throw('EISDIR');
  });
});
