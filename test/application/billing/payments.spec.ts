import { expect } from 'chai';
import { MemoryLeases } from '../../../src/adapters/memory/memory-leases.js';
import { RunDueWork } from '../../../src/application/accounts/run-due-work.js';
import { reconcilePayments } from '../../../src/application/billing/reconcile-payments.js';
import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import type { Processor } from '../../../src/application/ports/billing/processor.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { PaymentEvent, PaymentFact } from '../../../src/domain/billing/payment-event.js';
import { HOUR, MICROSECOND, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { day, failed, paid, stillOpen, subscriptionEvent } from '../../support/objects/payment-events.js';
import { accountsInMemory, type InMemory } from '../../support/service/accounts.js';

let made = 0;
const received = (
  customer: string,
  at: Moment,
  fact: PaymentFact | null,
  more: Partial<ReceivedEvent> = {},
) => {
  made += 1;
  const id = `evt_${String(made).padStart(6, '0')}`;
  return {
    id,
    type: 'test',
    at,
    customer,
    link: null,
    fact,
    fault: null,
    payload: Buffer.from('{}'),
    ...more,
  };
};
describe('Payments', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });

  const customerOf = (n: string) => `cus_${n}`;
  const opened = async (n = '1') => {
    const identity = { email: `${n}@example.org`, plan: 'pro' as const, processorCustomerId: customerOf(n) };
    return accepted(await service.openAccount(identity, 'operator')).id;
  };
  const causes = async (id: AccountId) => {
    const suspension = (await service.accounts.find(id))?.subscription.suspension;
    return suspension?.status === 'suspended' ? suspension.causes : [];
  };
  const stateOf = async (id: AccountId) => (await service.accounts.find(id))?.subscription.state;

  describe('that were received before the account was opened', () => {
    it('are applied when it is opened, before the call returns (D29)', async () => {
      await service.paymentEvents.receive(
        received(customerOf('1'), NOON, subscriptionEvent(0, 'past_due').fact),
      );
      await service.paymentEvents.receive(received(customerOf('1'), NOON, failed(0, 5).fact));
      expect(await causes(await opened())).to.deep.equal(['payment_failure']);
    });

    it('are applied when a checkout links the customer', async () => {
      const identity = { email: 'a@example.org', plan: 'free' as const, processorCustomerId: null };
      const { id } = accepted(await service.openAccount(identity, 'operator'));
      await service.paymentEvents.receive(
        received('cus_9', NOON, subscriptionEvent(0, 'active', { plan: 'pro' }).fact),
      );
      expect((await service.accounts.find(id))?.subscription.plan).to.equal('free');
      await service.paymentEvents.receive(
        received('cus_9', NOON, null, { link: { account: id, refusal: null } }),
      );
      const account = await service.accounts.find(id);
      expect([account?.subscription.plan, account?.processorCustomerId]).to.deep.equal(['pro', 'cus_9']);
    });

    it('are found by the next reconciliation if they were not applied before', async () => {
      const id = await opened();
      const { inbox } = service;
      const event = received(customerOf('2'), NOON, subscriptionEvent(0, 'canceled').fact);
      await inbox.receive(event, NOON, () => ({ next: {} as never, entries: [] }));
      accepted(
        await service.accounts.change(id, (found) => ({
          next: { ...found, processorCustomerId: customerOf('2') },
          entries: [],
        })),
      );
      const leases = new MemoryLeases();
      const { paymentEvents, clock } = service;
      await reconcilePayments({ leases, paymentEvents, clock: () => clock.at, processor: null })(true);
      expect(await stateOf(id)).to.equal('canceled');
    });
  });

  describe('past their deadline', () => {
    const answers = new Map<string, PaymentFact | 'away'>();
    const asked: string[] = [];
    const answer =
      (id: string) =>
      async (_: string, now: Moment): Promise<PaymentEvent | null> => {
        asked.push(id);
        const fact = answers.get(id);
        if (fact === 'away') throw new Unavailable('the payment processor');
        return fact === undefined ? null : { id: `asked_${id}_${now}`, at: now, fact };
      };
    const processor: Processor = {
      invoice: (id, now) => answer(id)(id, now),
      subscription: (id, now) => answer(id)(id, now),
      async *eventsSince() {},
    };
    const billingRules = {
      schedule: { retries: 4, retryDays: [1, 4, 8, 14], days: 14 },
      pastDue: 'serve',
      deadlineRule: 'unreachable',
    } as const;
    const work = () => new RunDueWork({ ...service.dueWorkParts, billingRules, processor }).once();
    /** An account with an open invoice since noon, on a service with a processor. */
    const owing = async () => {
      const id = await opened();
      await service.paymentEvents.receive(
        received(customerOf('1'), NOON, subscriptionEvent(0, 'past_due').fact),
      );
      await service.paymentEvents.receive(received(customerOf('1'), NOON, failed(0, 1).fact));
      await accepted(
        await service.accounts.change(id, (found) => ({
          next: { ...found, pending: [{ event: 'payment_failed', at: day(15), askAt: day(14) }] },
          entries: [],
        })),
      );
      return id;
    };
    beforeEach(() => {
      answers.clear();
      asked.length = 0;
    });

    it('are asked about at the deadline, not before; open invoices suspend as of the deadline (D28)', async () => {
      const id = await owing();
      answers.set('in_1', stillOpen(0).fact);
      service.clock.at = plus(day(14), -MICROSECOND);
      await work();
      expect([asked, await causes(id)]).to.deep.equal([[], []]);
      service.clock.at = plus(day(14), HOUR);
      await work();
      expect([asked, await causes(id)]).to.deep.equal([['in_1'], ['payment_failure']]);
      expect((await service.accounts.auditOf(id)).at(-1)).to.include({
        event: 'payment_failed',
        at: day(14),
      });
      await work();
      expect(asked).to.deep.equal(['in_1']);
    });

    it('do not suspend an account that has paid, even if the webhook was lost (D28)', async () => {
      const id = await owing();
      answers.set('in_1', paid(0).fact);
      service.clock.at = day(14);
      await work();
      expect([await causes(id), (await service.accounts.find(id))?.dunning]).to.deep.equal([[], []]);
      expect(await service.accounts.isAnyDue(day(400))).to.equal(false);
    });

    it('are asked about every 5 minutes while the processor is unavailable, and suspend after 24 hours (D28)', async () => {
      const id = await owing();
      answers.set('in_1', 'away');
      for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
        service.clock.at = plus(day(14), minutes * MINUTE);
        await work();
        expect(await causes(id)).to.deep.equal([]);
      }
      expect(asked).to.have.length((24 * 60) / 5);
      service.clock.at = day(15);
      await work();
      expect(await causes(id)).to.deep.equal(['payment_failure']);
    });

    it('are settled by an answer that comes in the meantime (D28)', async () => {
      const id = await owing();
      answers.set('in_1', 'away');
      service.clock.at = day(14);
      await work();
      answers.set('in_1', stillOpen(0).fact);
      service.clock.at = plus(day(14), 5 * MINUTE);
      await work();
      expect(await causes(id)).to.deep.equal(['payment_failure']);
    });

    it('are asked about by one of two concurrent runs', async () => {
      await owing();
      answers.set('in_1', stillOpen(0).fact);
      service.clock.at = day(14);
      await Promise.all([work(), work(), work()]);
      expect(asked).to.deep.equal(['in_1']);
    });

    it('of a trial are asked about, and make it incomplete after a day without an answer', async () => {
      const id = await opened();
      const trial = subscriptionEvent(0, 'trialing', { trialEndsOn: 7 }).fact;
      await service.paymentEvents.receive(received(customerOf('1'), NOON, trial));
      await service.accounts.change(id, (found) => ({
        next: { ...found, pending: [{ event: 'trial_ended', at: day(8), askAt: day(7) }] },
        entries: [],
      }));
      answers.set('sub_1', trial);
      service.clock.at = day(7);
      await work();
      expect([asked, await stateOf(id)]).to.deep.equal([['sub_1'], 'trialing']);
      service.clock.at = day(8);
      await work();
      expect(await stateOf(id)).to.equal('incomplete');
      await service.paymentEvents.receive(
        received(customerOf('1'), day(8), subscriptionEvent(0, 'active').fact),
      );
      expect(await stateOf(id)).to.equal('active');
    });
  });

  describe('reconciled with the processor (D29)', () => {
    const history: ReceivedEvent[] = [];
    const sinces: Moment[] = [];
    let isAway = false;
    const processor: Processor = {
      invoice: async () => null,
      subscription: async () => null,
      async *eventsSince(since) {
        sinces.push(since);
        const all = history.filter(({ at }) => at >= since).toReversed();
        for (let from = 0; from < all.length; from += 2) {
          if (isAway && from > 0) throw new Unavailable('the payment processor');
          yield all.slice(from, from + 2);
        }
      },
    };
    const reconciling = () => {
      const leases = new MemoryLeases();
      const { paymentEvents, clock } = service;
      return reconcilePayments({ leases, paymentEvents, clock: () => clock.at, processor });
    };
    beforeEach(() => {
      history.length = 0;
      sinces.length = 0;
      isAway = false;
    });

    it('receive each missed event once, and known events not at all', async () => {
      const id = await opened();
      const [came, lost, another] = [
        received(customerOf('1'), NOON, subscriptionEvent(0, 'past_due').fact),
        received(customerOf('1'), day(1), failed(0, 1).fact),
        received(customerOf('1'), day(2), failed(0, 2).fact),
      ];
      history.push(came, lost, another);
      await service.paymentEvents.receive(came);
      service.clock.at = day(3);
      const reconcile = reconciling();
      expect(await reconcile(true)).to.equal(2);
      expect((await service.accounts.find(id))?.dunning[0]).to.include({ failedRetries: 1 });
      expect(await reconcile(true)).to.equal(0);
    });

    it('cover 30 days at first, then the time since the last event, with an overlap of an hour', async () => {
      history.push(received(customerOf('1'), day(2), subscriptionEvent(0, 'active').fact));
      service.clock.at = day(3);
      const reconcile = reconciling();
      await reconcile(true);
      service.clock.at = plus(day(3), 15 * MINUTE);
      await reconcile(false);
      expect(sinces).to.deep.equal([day(-27), plus(day(2), -HOUR)]);
    });

    it('are due every 15 minutes, and at the start', async () => {
      const reconcile = reconciling();
      expect(await reconcile(false)).to.equal(0);
      service.clock.at = plus(NOON, 15 * MINUTE - MICROSECOND);
      expect(await reconcile(false)).to.equal(null);
      service.clock.at = plus(NOON, 15 * MINUTE);
      expect(await reconcile(false)).to.equal(0);
      expect(await reconcile(true)).to.equal(0);
    });

    it('start again at the same point if the processor becomes unavailable half way', async () => {
      const id = await opened();
      history.push(
        received(customerOf('1'), NOON, subscriptionEvent(0, 'active').fact),
        received(customerOf('1'), day(1), failed(0, 1).fact),
        received(customerOf('1'), day(2), subscriptionEvent(0, 'past_due').fact),
      );
      service.clock.at = day(3);
      isAway = true;
      const reconcile = reconciling();
      const fault = await reconcile(true).catch((thrown: unknown) => thrown);
      expect(fault).to.be.instanceOf(Unavailable);
      isAway = false;
      expect(await reconcile(false)).to.equal(1);
      expect(sinces).to.deep.equal([day(-27), day(-27)]);
      expect((await service.accounts.find(id))?.dunning).to.have.length(1);
    });
  });
});
