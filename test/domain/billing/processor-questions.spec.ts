import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../src/domain/accounts/account.js';
import { nextDue } from '../../../src/domain/accounts/account-due.js';
import { applyAnswers } from '../../../src/domain/billing/account-payments.js';
import type { PaymentEvent, ProcessorStatus } from '../../../src/domain/billing/payment-event.js';
import { hasQuestions, openQuestions } from '../../../src/domain/billing/processor-questions.js';
import { DAY, HOUR, MINUTE, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { ALONE, ASKING, accountWithKey, afterEvents } from '../../support/objects/account-payments.js';
import { auditContext, NOON } from '../../support/objects/builders.js';
import { subscriptionEvent } from '../../support/objects/payment-events.js';

const NOW = plus(NOON, MINUTE);

/** Two events of noon, of which nothing tells the order; the first has the greater id. */
const tied = (greater: ProcessorStatus, smaller: ProcessorStatus): readonly PaymentEvent[] => {
  const [one, other] = [subscriptionEvent(0, smaller), subscriptionEvent(0, greater)];
  return [other, one];
};
const asked = (from: Account, now: Moment, ...answers: readonly PaymentEvent[]): Account =>
  applyAnswers(from, answers, ASKING, auditContext(now, 'service')).next;
const answered = (status: ProcessorStatus, at: Moment): PaymentEvent => ({
  ...subscriptionEvent(0, status),
  id: `asked_${at}`,
  at,
});

describe('Two events of one second that do not tell their order (D29)', () => {
  const account = () => afterEvents(accountWithKey(), tied('unpaid', 'active'), NOW, ASKING);

  it('are a question to the processor at once; until the answer the greater id decides', () => {
    const before = account();
    expect(before.subscription.state).to.equal('unpaid');
    expect([before.askTiesAt, nextDue(before), hasQuestions(before)]).to.deep.equal([NOON, NOON, true]);
    expect(openQuestions(before, NOW)).to.deep.equal({ invoices: [], subscriptions: ['sub_1'] });
  });

  it('are decided by the answer, after which there is no question', () => {
    for (const status of ['active', 'unpaid', 'past_due'] as const) {
      const after = asked(account(), plus(NOW, SECOND), answered(status, plus(NOW, SECOND)));
      expect(after.subscription.state).to.equal(status === 'unpaid' ? 'unpaid' : 'active');
      expect(after.askTiesAt).to.equal(null);
    }
  });

  it('are decided by the answer also if the clock of the processor is ahead', () => {
    const now = plus(NOON, -HOUR);
    const before = afterEvents(accountWithKey(), tied('unpaid', 'active'), now, ASKING);
    const after = asked(before, now, answered('active', now));
    expect([after.subscription.state, after.askTiesAt]).to.deep.equal(['active', null]);
  });

  it('are asked about every 5 minutes for a day while there is no answer', () => {
    let [current, questions] = [account(), 0];
    for (let due = nextDue(current); due !== null; due = nextDue(current)) {
      questions += openQuestions(current, due).subscriptions.length;
      current = asked(current, due);
    }
    expect(questions).to.be.within(DAY / (5 * MINUTE), DAY / (5 * MINUTE) + 1);
    expect([current.askTiesAt, current.subscription.state]).to.deep.equal([null, 'unpaid']);
  });

  it('are no question without a processor, if they agree, or once a later event arrives', () => {
    const none = [
      afterEvents(accountWithKey(), tied('unpaid', 'active'), NOW, ALONE),
      afterEvents(accountWithKey(), tied('active', 'active'), NOW, ASKING),
      afterEvents(account(), [answered('active', plus(NOON, SECOND))], NOW, ASKING),
      afterEvents(accountWithKey(), tied('canceled', 'active'), NOW, ASKING),
    ];
    for (const each of none) {
      expect(each.askTiesAt).to.equal(null);
      expect(openQuestions(each, plus(NOW, DAY)).subscriptions).to.deep.equal([]);
    }
  });

  it('are no question if one is the creation, or names the value of the other as the one before', () => {
    const [later, earlier] = tied('incomplete', 'active') as [PaymentEvent, PaymentEvent];
    const withHint = (event: PaymentEvent, more: object) =>
      ({ ...event, fact: { ...event.fact, ...more } }) as PaymentEvent;
    for (const events of [
      [withHint(later, { reports: 'creation' }), earlier],
      [later, withHint(earlier, { previously: { status: 'incomplete' } })],
    ])
      expect(afterEvents(accountWithKey(), events, NOW, ASKING)).to.include({ askTiesAt: null });
  });

  it('have the state of the answer in any order in which they arrive', () => {
    const statuses = fc.constantFrom<ProcessorStatus>('trialing', 'active', 'past_due', 'paused', 'unpaid');
    fc.assert(
      fc.property(fc.array(statuses, { minLength: 2, maxLength: 4 }), statuses, (some, current) => {
        const events = some.map((status) => subscriptionEvent(0, status));
        const states = [events, [...events].reverse()].map((order) => {
          const before = afterEvents(accountWithKey(), order, NOW, ASKING);
          const isAsked = openQuestions(before, NOW).subscriptions.length > 0;
          expect(isAsked).to.equal(new Set(some).size > 1);
          const after = isAsked ? asked(before, NOW, answered(current, NOW)) : before;
          return [after.subscription.state, after.payments.subscriptions['sub_1']?.status.value];
        });
        expect(states[0]).to.deep.equal(states[1]);
        if (new Set(some).size > 1) expect(states[0]?.[1]).to.equal(current);
      }),
    );
  });
});
