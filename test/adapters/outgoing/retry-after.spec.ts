import { expect } from 'chai';
import { retryAfterOf } from '../../../src/adapters/outgoing/retry-after.js';
import { SECOND } from '../../../src/domain/moment.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('The header Retry-After of an answer', () => {
  // biome-ignore format: a table is read by its columns
  const ROWS: readonly (readonly [header: string | undefined, seconds: number | null])[] = [
    [undefined,                        null],
    ['0',                              0],
    ['120',                            120],
    ['999999999',                      999_999_999],
    ['9999999999',                     null],
    ['-1',                             null],
    ['1.5',                            null],
    ['120s',                           null],
    ['',                               null],
    ['Sun, 01 Mar 2026 12:01:30 GMT',  90],
    ['Sun, 01 Mar 2026 11:00:00 GMT',  0],
    ['Sun, 01 Mar 2026 25:00:00 GMT',  null],
    ['2026-03-01T12:01:30Z',           null],
    ['tomorrow',                       null],
  ];
  for (const [header, seconds] of ROWS)
    it(`is ${seconds === null ? 'ignored' : `${seconds} s`} if it is ${JSON.stringify(header)}`, () => {
      expect(retryAfterOf(header, NOW)).to.equal(seconds === null ? null : seconds * SECOND);
    });
});
