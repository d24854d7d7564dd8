import { expect } from 'chai';
import { rateLimitHeaders } from '../../../src/adapters/http/limits/limit-headers.js';
import { type Limit, tightest } from '../../../src/domain/limits/rate-limit.js';

const limit = (name: string, quota: number, remaining: number, endsAt: number, secondsLeft = 12): Limit => ({
  policy: { name, quota, seconds: name === 'day' ? 86_400 : 60 },
  endsAt,
  secondsLeft,
  remaining,
});

describe('The rate-limit headers', () => {
  it('are lists of quoted names in the syntax of the IETF draft (D33)', () => {
    const headers = rateLimitHeaders([
      limit('minute', 60, 59, 1_000),
      limit('day', 5_000, 4_999, 9_000, 86_399),
    ]);
    expect(headers).to.deep.equal({
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=5000;w=86400',
      RateLimit: '"minute";r=59;t=12, "day";r=4999;t=86399',
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '59',
      'X-RateLimit-Reset': '1000',
    });
  });

  it('have whole numbers, however large (D33)', () => {
    const headers = rateLimitHeaders([limit('day', 1_000_000_000, 999_999_999, 1_772_409_600)]);
    expect(headers['RateLimit-Policy']).to.equal('"day";q=1000000000;w=86400');
    expect(headers['X-RateLimit-Reset']).to.equal('1772409600');
  });

  it('describe the tightest policy in X-RateLimit-*, which many clients read (D33)', () => {
    const headers = rateLimitHeaders([limit('minute', 60, 40, 1_000), limit('day', 5_000, 7, 9_000)]);
    expect(headers).to.include({
      'X-RateLimit-Limit': '5000',
      'X-RateLimit-Remaining': '7',
      'X-RateLimit-Reset': '9000',
    });
  });

  it('prefer the longest window of two equally tight policies (D33)', () => {
    const limits = [limit('minute', 60, 0, 1_000), limit('day', 5_000, 0, 9_000)];
    expect(tightest(limits)?.policy.name).to.equal('day');
    expect(tightest([...limits].reverse())?.policy.name).to.equal('day');
    expect(tightest([])).to.equal(undefined);
  });
});
