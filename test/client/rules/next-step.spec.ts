import { expect } from 'chai';
import type { Problem } from '../../../packages/client/src/api.js';
import { OddswireError } from '../../../packages/client/src/errors.js';
import { type End, type Form, failureOf, nextStep } from '../../../packages/client/src/next-step.js';

const refused = (code: string, status: number, retryAfterSeconds: number | null = null): End => ({
  kind: 'refused',
  error: new OddswireError(code, 'Text.', { status, retryAfterSeconds }),
});

const closing = (code: string, status: number, seconds: number | null): End => {
  const problem: Problem = {
    type: '',
    title: '',
    status,
    detail: 'Text.',
    instance: '',
    code,
    request_id: '',
  };
  return {
    kind: 'closing',
    closing: { type: 'closing', position: 'p', problem, retry_after_seconds: seconds },
  };
};

const ended: End = { kind: 'ended', error: new OddswireError('connection_failed', 'Text.') };

// biome-ignore format: a table is read by its columns
const CASES: readonly (readonly [end: End, form: Form, failures: number, step: string])[] = [
  [ended,                                            'stream',  0, 'wait 500'],
  [ended,                                            'stream',  2, 'wait 2000'],
  [{ kind: 'blocked' },                              'stream',  0, 'use batches'],
  [{ kind: 'batch', waitMs: 0 },                     'batches', 0, 'wait 0'],
  [{ kind: 'batch', waitMs: 5000 },                  'batches', 0, 'wait 5000'],
  [closing('unavailable', 503, 0.5),                 'stream',  0, 'wait 500'],
  [closing('unavailable', 503, 0),                   'stream',  0, 'wait 500'],
  [closing('position_expired', 410, 10),             'stream',  0, 'wait 10000'],
  [closing('stream_replaced', 409, 30),              'stream',  0, 'wait 30000'],
  [closing('rate_limited', 429, 40_000),             'stream',  0, 'throw rate_limited'],
  [closing('key_revoked', 401, null),                'stream',  0, 'throw key_revoked'],
  [closing('payment_required', 402, null),           'stream',  0, 'throw payment_required'],
  [refused('http_406', 406),                         'stream',  0, 'use batches'],
  [refused('http_415', 415),                         'stream',  0, 'use batches'],
  [refused('http_501', 501),                         'stream',  0, 'use batches'],
  [refused('http_502', 502),                         'stream',  4, 'wait 8000'],
  [refused('http_502', 502),                         'stream',  5, 'use batches'],
  [refused('http_502', 502),                         'batches', 0, 'wait 500'],
  [refused('http_406', 406),                         'batches', 0, 'throw http_406'],
  [refused('too_many_streams', 429, 30),             'stream',  0, 'wait 30000'],
  [refused('rate_limited', 429, 86_400),             'stream',  0, 'throw rate_limited'],
  [refused('unavailable', 503, 1),                   'stream',  3, 'wait 1000'],
  [refused('key_unknown', 401),                      'stream',  0, 'throw key_unknown'],
  [refused('key_suspended', 402),                    'batches', 0, 'throw key_suspended'],
  [refused('insufficient_scope', 403),               'stream',  0, 'throw insufficient_scope'],
  [refused('position_expired', 410),                 'stream',  0, 'throw position_expired'],
];

describe('After a stream or a batch, the client', () => {
  it('reports the failure that ended it; a complete batch and a blocked stream are none', () => {
    const codes = [ended, refused('key_unknown', 401), closing('unavailable', 503, 4)].map(
      (end) => failureOf(end)?.code,
    );
    expect(codes).to.deep.equal(['connection_failed', 'key_unknown', 'unavailable']);
    expect(failureOf({ kind: 'batch', waitMs: 0 })).to.equal(null);
    expect(failureOf({ kind: 'blocked' })).to.equal(null);
  });

  for (const [end, form, failures, expected] of CASES) {
    const code =
      end.kind === 'refused' ? end.error.code : end.kind === 'closing' ? end.closing.problem.code : '';
    it(`will ${expected}: ${form}, ${end.kind} ${code}, ${failures} failures before`, () => {
      const step = nextStep(end, form, { attempt: failures, maxWaitMs: 120_000, random: 0 });
      const more = step.do === 'wait' ? ` ${step.ms}` : step.do === 'throw' ? ` ${step.error.code}` : '';
      expect(step.do + more).to.equal(expected);
    });
  }

  it('spreads its return: up to half of the time is added at random', () => {
    const step = nextStep(closing('unavailable', 503, 4), 'stream', {
      attempt: 0,
      maxWaitMs: 9_000,
      random: 1,
    });
    expect(step).to.deep.equal({ do: 'wait', ms: 6_000 });
  });
});
