import { expect } from 'chai';
import { PLANS } from '../../../src/domain/billing/plan.js';

describe('The plan by default', () => {
  // biome-ignore format: a table is read by its columns
  const plans = [
    ['free',    1, 60,    5_000],
    ['builder', 1, 600,   50_000],
    ['pro',     5, 3_000, 1_000_000],
  ] as const;
  for (const [name, keys, requestsPerMinute, requestsPerDay] of plans) {
    it(`${name} has ${keys} keys in use, ${requestsPerMinute} requests a minute and ${requestsPerDay} a day (contract sections 5.3 and 8, D34)`, () => {
      expect(PLANS[name]).to.deep.equal({ keys, requestsPerMinute, requestsPerDay });
    });
  }
});
