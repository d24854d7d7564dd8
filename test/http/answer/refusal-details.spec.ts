import { expect } from 'chai';
import { rateLimitText } from '../../../src/adapters/http/answer/refusal-details.js';

describe('The detail of a 429', () => {
  const CASES: readonly (readonly [violated: readonly string[], text: string])[] = [
    [['minute'], 'The limit `minute` is used up. Try again in 12 s.'],
    [['minute', 'day'], 'The limits `minute` and `day` are used up. Try again in 12 s.'],
  ];
  for (const [violated, text] of CASES)
    it(`names what is used up, and when to try again: ${violated.join(', ')}`, () => {
      expect(rateLimitText({ refused: 'rate_limited', violated, retryAfterSeconds: 12 })).to.equal(text);
    });
});
