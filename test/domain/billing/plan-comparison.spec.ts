import { expect } from 'chai';
import { PLANS } from '../../../src/domain/billing/plan.js';
import {
  comparePlans,
  nextPlan,
  PLAN_LIMITS,
  planWithMoreKeys,
} from '../../../src/domain/billing/plan-comparison.js';

const { free, builder, pro } = PLANS;

describe('The comparison of two plans', () => {
  it('names the limits that are higher in an upgrade, and those that stay in neither list', () => {
    const limits = ['requestsPerMinute', 'requestsPerDay', 'streams', 'destinations'];
    expect(comparePlans(free, builder, 1)).to.deep.equal({
      ...{ direction: 'upgrade', more: limits, fewer: [], keysAbove: 0 },
    });
    expect(comparePlans(builder, pro, 1).more).to.deep.equal(PLAN_LIMITS);
  });

  it('counts the keys in use beyond the allowance of a downgrade (D24)', () => {
    expect(comparePlans(pro, free, 4)).to.deep.equal({
      ...{ direction: 'downgrade', more: [], fewer: PLAN_LIMITS, keysAbove: 3 },
    });
    expect(comparePlans(pro, free, 1).keysAbove).to.equal(0);
    expect(comparePlans(pro, free, 0).keysAbove).to.equal(0);
  });

  it('of a plan with itself has no direction', () => {
    expect(comparePlans(pro, pro, 5)).to.deep.equal({ direction: 'none', more: [], fewer: [], keysAbove: 0 });
  });

  it('takes the direction from the ranks, not from one limit, which a setting can change', () => {
    const small = { ...builder, requestsPerMinute: 10 };
    expect(comparePlans(free, small, 1)).to.deep.include({
      direction: 'upgrade',
      fewer: ['requestsPerMinute'],
    });
  });
});

describe('The next plan', () => {
  it('is the next higher one, and none for the largest', () => {
    expect([free, builder, pro].map((plan) => nextPlan(PLANS, plan))).to.deep.equal([builder, pro, null]);
  });
});

describe('A plan with more keys', () => {
  it('is the next one above, and none for the largest plan', () => {
    expect(planWithMoreKeys(PLANS, free)).to.equal(pro);
    expect(planWithMoreKeys(PLANS, builder)).to.equal(pro);
    expect(planWithMoreKeys(PLANS, pro)).to.equal(null);
    const plans = { ...PLANS, builder: { ...builder, keys: 2 } };
    expect(planWithMoreKeys(plans, free)).to.equal(plans.builder);
  });

  it('is above this one: a lower plan with more keys is no upgrade', () => {
    const plans = { ...PLANS, free: { ...free, keys: 9 } };
    expect(planWithMoreKeys(plans, pro)).to.equal(null);
  });
});
