import { expect } from 'chai';
import { checkOptions } from '../../../packages/client/src/check-options.js';
import { OddswireError } from '../../../packages/client/src/errors.js';
import type { Options } from '../../../packages/client/src/options.js';

const GOOD = { url: 'https://api.example.com/', key: 'svc_a' };

/** What plain JavaScript can pass, and the option that the error names. */
// biome-ignore format: a table is read by its columns
const CASES: readonly (readonly [given: object | undefined, named: string])[] = [
  [undefined,                                    'url'],
  [{ key: 'a' },                                 'url'],
  [{ ...GOOD, url: 'api.example.com' },          'url'],
  [{ ...GOOD, url: 'ftp://api.example.com' },    'url'],
  [{ ...GOOD, url: 'https://a:b@example.com' },  'url'],
  [{ ...GOOD, url: 'https://example.com/?a=b' }, 'url'],
  [{ ...GOOD, key: undefined },                  'key'],
  [{ ...GOOD, key: '' },                         'key'],
  [{ ...GOOD, key: 'svc_a\n' },                  'key'],
  [{ ...GOOD, key: 5 },                          'key'],
  [{ ...GOOD, retries: -1 },                     'retries'],
  [{ ...GOOD, retries: Number.NaN },             'retries'],
  [{ ...GOOD, timeoutMs: 0 },                    'timeoutMs'],
  [{ ...GOOD, timeoutMs: '30' },                 'timeoutMs'],
  [{ ...GOOD, maxWaitMs: -1 },                   'maxWaitMs'],
  [{ ...GOOD, onRetry: {} },                     'onRetry'],
  [{ ...GOOD, fetch: null },                     'fetch'],
];

describe('The options of the client', () => {
  for (const [given, named] of CASES) {
    it(`are refused with the name of the wrong one: ${named}, ${JSON.stringify(given)}`, () => {
      expect(() => checkOptions(given as Options))
        .to.throw(OddswireError, `\`${named}\` must be`)
        .with.property('code', 'invalid_options');
    });
  }

  it('give the address without a slash at its end', () => {
    expect(checkOptions({ ...GOOD, retries: 0, timeoutMs: Number.POSITIVE_INFINITY })).to.deep.equal({
      base: 'https://api.example.com',
      key: 'svc_a',
    });
    expect(checkOptions({ ...GOOD, url: 'http://h:8/a/' }).base).to.equal('http://h:8/a');
  });
});
