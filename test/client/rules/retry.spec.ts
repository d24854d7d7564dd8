import { expect } from 'chai';
import fc from 'fast-check';
import { backoffMs, retryAfterSeconds, retryDelayMs } from '../../../packages/client/src/retry.js';

const MAX_WAIT_MS = 120_000;

type Case = readonly [
  code: string,
  status: number | null,
  retryAfter: number | null,
  attempt: number,
  random: number,
  ms: number | null,
];

// biome-ignore format: a table is read by its columns
const CASES: readonly Case[] = [
  ['connection_failed', null, null,   0,   0,    500],
  ['connection_failed', null, null,   0,   1,    750],
  ['timed_out',         null, null,   3,   0,   4000],
  ['invalid_response',  200,  null,   0,   0,    500],
  ['internal',          500,  null,   20,  0,  30000],
  ['bad_request',       408,  null,   0,   0,    500],
  ['rate_limited',      429,  10,     0,   0,  10000],
  ['rate_limited',      429,  10,     0,   1,  15000],
  ['rate_limited',      429,  120,    0,   1, 180000],
  ['rate_limited',      429,  121,    0,   0,   null],
  ['rate_limited',      429,  86400,  0,   0,   null],
  ['unavailable',       503,  0,      0,   0,    500],
  ['unavailable',       503,  2,      9,   0,   2000],
  ['unavailable',       200,  null,   0,   0,    500],
  ['invalid_parameter', 400,  null,   0,   0,   null],
  ['key_unknown',       401,  null,   0,   0,   null],
  ['key_suspended',     402,  null,   0,   0,   null],
  ['insufficient_scope', 403, null,   0,   0,   null],
  ['position_expired',  410,  1,      0,   0,   null],
  ['http_302',          302,  null,   0,   0,   null],
];

describe('The wait before a retry', () => {
  for (const [code, status, retryAfter, attempt, random, ms] of CASES)
    it(`is ${ms} ms after ${code} with Retry-After ${retryAfter}, attempt ${attempt}, random ${random}`, () => {
      const failure = { code, status, retryAfterSeconds: retryAfter };
      expect(retryDelayMs(failure, attempt, MAX_WAIT_MS, random)).to.equal(ms);
    });

  it('grows with each attempt, and is never longer than 45 s', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const ms = backoffMs(attempt, random);
        expect(ms).to.be.within(500, 45_000);
        expect(backoffMs(attempt + 1, random)).to.be.at.least(ms);
      }),
    );
  });
});

// biome-ignore format: a table is read by its columns
const HEADERS: readonly (readonly [retryAfter: string | null, date: string | null, seconds: number | null])[] = [
  [null,                            null,                            null],
  ['0',                             null,                            0],
  ['86400',                         null,                            86400],
  ['1.5',                           null,                            1.5],
  ['soon',                          null,                            null],
  ['-1',                            null,                            null],
  ['Mon, 02 Feb 2026 10:00:30 GMT', 'Mon, 02 Feb 2026 10:00:00 GMT', 30],
  ['Mon, 02 Feb 2026 09:00:00 GMT', 'Mon, 02 Feb 2026 10:00:00 GMT', 0],
  ['Mon, 02 Feb 2026 10:00:30 GMT', null,                            null],
];

describe('A Retry-After header', () => {
  for (const [retryAfter, date, seconds] of HEADERS)
    it(`is ${seconds} s: ${retryAfter}, with the Date ${date}`, () => {
      expect(retryAfterSeconds(retryAfter, date)).to.equal(seconds);
    });
});
