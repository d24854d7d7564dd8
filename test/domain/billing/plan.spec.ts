import { expect } from 'chai';
import {
  highestPlan,
  PLAN_NAMES,
  PLANS,
  type PlanName,
  planOf,
  planTitle,
} from '../../../src/domain/billing/plan.js';

/** As a later version stores it. */
const LATER = 'team' as PlanName;

describe('The plan by default', () => {
  // biome-ignore format: a table is read by its columns
  const plans = [
    ['free',    1, 60,    5_000,     1],
    ['builder', 1, 600,   50_000,    5],
    ['pro',     5, 3_000, 1_000_000, 25],
  ] as const;
  for (const [name, keys, requestsPerMinute, requestsPerDay, streams] of plans) {
    it(`${name} has ${keys} keys in use, ${requestsPerMinute} requests a minute and ${requestsPerDay} a day, and ${streams} open streams (contract sections 5.3 and 8, D34, D51)`, () => {
      expect(PLANS[name]).to.deep.include({ keys, requestsPerMinute, requestsPerDay, streams });
    });
  }
});

describe('The plans', () => {
  it('are in the order of their ranks, of which each has its own', () => {
    expect(PLAN_NAMES).to.deep.equal(['free', 'builder', 'pro']);
    expect(new Set(PLAN_NAMES.map((name) => PLANS[name].rank)).size).to.equal(PLAN_NAMES.length);
  });

  it('have a highest one, whatever their order', () => {
    expect(highestPlan(['pro', 'free'])).to.equal('pro');
    expect(highestPlan(['free', 'builder'])).to.equal('builder');
    expect(highestPlan([])).to.equal(null);
  });

  it('do not have that of a later version, which is shown by its name', () => {
    expect([planOf(PLANS, LATER), planOf(PLANS, 'constructor' as PlanName)]).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect([planTitle(PLANS, LATER), planTitle(PLANS, 'pro')]).to.deep.equal(['team', 'Pro']);
  });
});
