import { expect } from 'chai';
import { PLANS } from '../../../src/domain/billing/plan.js';

describe('The plan by default', () => {
  // biome-ignore format: a table is read by its columns
  const plans = [
    ['free',    1, 60,    5_000,     1],
    ['builder', 1, 600,   50_000,    5],
    ['pro',     5, 3_000, 1_000_000, 25],
  ] as const;
  for (const [name, keys, requestsPerMinute, requestsPerDay, streams] of plans) {
    it(`${name} has ${keys} keys in use, ${requestsPerMinute} requests a minute and ${requestsPerDay} a day, and ${streams} open streams (contract sections 5.3 and 8, D34, D51)`, () => {
      expect(PLANS[name]).to.deep.equal({ keys, requestsPerMinute, requestsPerDay, streams });
    });
  }
});
