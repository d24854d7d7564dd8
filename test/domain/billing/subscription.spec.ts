import { expect } from 'chai';
import { admittedBySubscription, SUBSCRIPTION_STATES } from '../../../src/domain/billing/subscription.js';
import { account, suspendedBy } from '../../support/objects/builders.js';

describe('Step 4 of the gateway, by the state of the subscription (D27)', () => {
  // biome-ignore format: a table is read by its columns
  const answers = {
    trialing:   'admitted',
    active:     'admitted',
    incomplete: 'subscription_incomplete',
    paused:     'subscription_paused',
    unpaid:     'payment_required',
    canceled:   'key_revoked',
  } as const;

  it('has an answer for each of the six states, without `past_due` (D27)', () => {
    expect([...SUBSCRIPTION_STATES]).to.have.members(Object.keys(answers));
  });

  for (const state of SUBSCRIPTION_STATES) {
    it(`answers “${state}” with ${answers[state]} (D27)`, () => {
      const answer = admittedBySubscription(account({ state }).subscription);
      expect(answer).to.deep.equal(
        answers[state] === 'admitted' ? { admitted: true } : { refused: answers[state] },
      );
    });
  }

  it('ignores suspension causes: step 3 has checked them (contract section 5.5)', () => {
    const { subscription } = account({ suspension: suspendedBy('abuse') });
    expect(admittedBySubscription(subscription)).to.deep.equal({ admitted: true });
  });
});
