import { expect } from 'chai';
import { openFilesFinding } from '../../../src/doctor/rules/open-files.js';

describe('The limit of open files', () => {
  // biome-ignore format: a table is read by its columns
  const rows = [
    // limit, streams, result,    text of the detail or of the advice
    [null,    20_000,  'ok',      /no limit/],
    [65_536,  20_000,  'ok',      /65536 files, enough for 20000 streams/],
    [25_000,  20_000,  'ok',      /enough/],
    [24_999,  20_000,  'warning', /at most 19999 streams.*at least 25000/],
    [1_024,   20_000,  'warning', /at most 819 streams.*at least 25000/],
    [1_024,   800,     'ok',      /enough for 800/],
    [511,     100,     'failed',  /too few.*at least 512/],
    [256,     0,       'failed',  /at least 512/],
  ] as const;
  for (const [limit, streams, result, text] of rows) {
    it(`${limit} with ${streams} streams is ${result}`, () => {
      const { result: found, detail, advice } = openFilesFinding(limit, streams);
      expect(found).to.equal(result);
      expect(`${detail} ${advice}`).to.match(text);
    });
  }
});
