import { expect } from 'chai';
import { exitCodeOf, failed, ok, skipped, warning } from '../../../src/adapters/findings/check.js';

describe('The exit code of checks', () => {
  // biome-ignore format: a table is read by its columns
  const rows = [
    ['no check',              [],                                    0],
    ['a check that is well',  [ok('a')],                             0],
    ['a warning',             [ok('a'), warning('b', 'c')],          0],
    ['a skipped check',       [skipped('a')],                        0],
    ['a failure',             [failed('a', 'b')],                    1],
    ['a failure among others', [ok('a'), failed('b', 'c'), skipped('d')], 1],
  ] as const;
  for (const [title, findings, code] of rows) {
    it(`is ${code} for ${title}`, () => {
      expect(exitCodeOf(findings)).to.equal(code);
    });
  }
});
