import { expect } from 'chai';
import { MemoryLeases } from '../../../src/adapters/memory/memory-leases.js';
import { PaymentEvents } from '../../../src/application/billing/payment-events.js';
import { reconcilePayments } from '../../../src/application/billing/reconcile-payments.js';
import type { PaymentInbox, ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import type { Processor } from '../../../src/application/ports/billing/processor.js';
import type { PaymentFact } from '../../../src/domain/billing/payment-event.js';
import { MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { day, failed, subscriptionEvent } from '../../support/objects/payment-events.js';
import { accountsInMemory, anOpening, type InMemory } from '../../support/service/accounts.js';

const received = (id: string, at: Moment, fact: PaymentFact | null): ReceivedEvent => ({
  ...{ id, type: 'any', at, customer: 'cus_1', link: null, fact, fault: null },
  payload: Buffer.from('{}'),
});
const POISONED = received('evt_poisoned', day(1), failed(0, 1).fact);
const OTHER = received('evt_other', day(2), subscriptionEvent(0, 'past_due').fact);

describe('Payment events beside one that causes a fault', () => {
  let service: InMemory;
  let isMended: boolean;
  let reported: object[];
  let paymentEvents: PaymentEvents;
  const clock = () => service.clock.at;

  beforeEach(() => {
    service = accountsInMemory();
    isMended = false;
    reported = [];
    const { inbox, billingRules } = service;
    const mayFail = <Answer>({ id }: ReceivedEvent, call: () => Promise<Answer>) =>
      id === POISONED.id && !isMended ? Promise.reject(new TypeError('keys is not iterable')) : call();
    const failing: PaymentInbox = {
      receive: (event, now, apply) => mayFail(event, () => inbox.receive(event, now, apply)),
      replay: (event, now, apply) => mayFail(event, () => inbox.replay(event, now, apply)),
      linked: (customer, count) => inbox.linked(customer, count),
      find: (event) => inbox.find(event),
      naming: (id, count) => inbox.naming(id, count),
      list: (only, count) => inbox.list(only, count),
    };
    const reportFailure = (_: unknown, of: object) => reported.push(of);
    paymentEvents = new PaymentEvents({ inbox: failing, billingRules, clock, note: () => {}, reportFailure });
  });

  const opened = async () => {
    const account = { email: '1@example.org', plan: 'pro' as const, processorCustomerId: 'cus_1' };
    return accepted(await service.openAccount(account, 'operator')).id;
  };

  it('are reconciled, and the failed one is reported and tried again after 5 minutes (D29)', async () => {
    const id = await opened();
    const processor: Processor = {
      invoice: async () => null,
      subscription: async () => null,
      async *eventsSince(since) {
        yield [POISONED, OTHER].filter(({ at }) => at >= since);
      },
    };
    const reconcile = reconcilePayments({ leases: new MemoryLeases(), paymentEvents, clock, processor });
    service.clock.at = day(30);
    expect(await reconcile(true)).to.equal(1);
    expect(reported).to.deep.equal([{ event: POISONED.id }]);
    isMended = true;
    service.clock.at = plus(day(30), 5 * MINUTE);
    expect(await reconcile(false)).to.equal(1);
    expect((await service.accounts.find(id))?.dunning).to.have.length(1);
  });

  it('are applied when their customer is linked, and the failed one waits', async () => {
    const apply = () => ({ next: {} as never, entries: [] });
    for (const event of [POISONED, OTHER]) await service.inbox.receive(event, NOON, apply);
    await service.accounts.open(anOpening('pro', { processorCustomerId: 'cus_1' }));
    await paymentEvents.applyWaiting('cus_1');
    expect(reported).to.deep.equal([{ event: POISONED.id }]);
    const states = [POISONED, OTHER].map(async ({ id }) => (await service.inbox.find(id))?.state);
    expect(await Promise.all(states)).to.deep.equal(['waiting', 'applied']);
  });
});
