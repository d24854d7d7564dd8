import { inspect } from 'node:util';
import { expect } from 'chai';
import { ConnectionErrors } from '../../../packages/client/src/connection-errors.js';

const KEY = 'svc_secret';
const errors = new ConnectionErrors(`https://api.example.com/${KEY}`, KEY);
const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });

// biome-ignore format: a table is read by its columns
const CASES: readonly (readonly [error: unknown, message: string, code: string | undefined])[] = [
  [new TypeError('fetch failed', { cause: refused }),                          'connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED'],
  [new TypeError('fetch failed', { cause: new AggregateError([refused], '') }), 'connect ECONNREFUSED 127.0.0.1:9', 'ECONNREFUSED'],
  [new TypeError('Failed to fetch'),                                           'Failed to fetch',                  undefined],
  [Object.assign(new Error(''), { code: 'ENOTFOUND' }),                        'ENOTFOUND',                        'ENOTFOUND'],
  [new Error(`bad header Bearer ${KEY}`),                                      'bad header Bearer [key]',          undefined],
  ['gone',                                                                     'gone',                             undefined],
  [undefined,                                                                  'undefined',                        undefined],
  [new Error(''),                                                              'no reason is known',               undefined],
];

describe('The error of a failed connection', () => {
  for (const [error, message, code] of CASES) {
    it(`names the address and the cause: ${message}`, () => {
      const failed = errors.failed(error);
      expect(failed.message).to.equal(
        `connection_failed: There is no complete response from https://api.example.com/[key] (${message}).`,
      );
      expect(failed.cause).to.be.instanceOf(Error).with.property('message', message);
      expect((failed.cause as { code?: string }).code).to.equal(code);
      expect(inspect(failed, { depth: null, showHidden: true })).not.to.include(KEY);
    });
  }

  it('has the code timed_out, the address and a cause after a time limit', () => {
    const error = errors.timedOut(new Error('This operation was aborted'));
    expect(error.code).to.equal('timed_out');
    expect(error.message).to.include('https://api.example.com/[key]');
    expect(error.cause).to.have.property('message', 'This operation was aborted');
  });
});
