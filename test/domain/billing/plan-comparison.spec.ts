import { expect } from 'chai';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { planWithMoreKeys } from '../../../src/domain/billing/plan-comparison.js';

describe('A plan with more keys', () => {
  it('is the next one above, and none for the largest plan', () => {
    expect(planWithMoreKeys(PLANS, PLANS.free)).to.equal(PLANS.pro);
    expect(planWithMoreKeys(PLANS, PLANS.builder)).to.equal(PLANS.pro);
    expect(planWithMoreKeys(PLANS, PLANS.pro)).to.equal(null);
    const plans = { ...PLANS, builder: { ...PLANS.builder, keys: 2 } };
    expect(planWithMoreKeys(plans, plans.free)).to.equal(plans.builder);
  });

  it('is above this one: a lower plan with more keys is no upgrade', () => {
    const plans = { ...PLANS, free: { ...PLANS.free, keys: 9 } };
    expect(planWithMoreKeys(plans, plans.pro)).to.equal(null);
  });
});
