import { expect } from 'chai';
import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import { accepted } from '../../support/objects/builders.js';
import { operatorConsole } from '../../support/service/operator-console.js';

describe('The console of operators replays a payment event', () => {
  /** Whether the processor's events can be understood by now. */
  let isUnderstood: boolean;
  beforeEach(() => {
    isUnderstood = true;
  });
  const { service, holder, operator, home, statusNow, lastEntry, everythingNow } = operatorConsole(() => ({
    readPaymentEvent: () => async (payload) => {
      const event = JSON.parse(payload.toString('utf8')) as Omit<ReceivedEvent, 'payload'>;
      return { ...event, fault: isUnderstood ? null : 'a word that nobody knows', payload };
    },
  }));

  let customers = 0;
  const paused = (customer: string) => ({
    id: `evt_${customer}`,
    type: 'customer.subscription.updated',
    at: service().clock.at,
    customer,
    link: null,
    fact: {
      kind: 'subscription' as const,
      subscription: `sub_${customer}`,
      startedAt: service().clock.at,
      status: 'paused' as const,
      plan: null,
      terms: { trialEndsAt: null, periodEndsAt: null },
    },
    fault: null,
  });
  const received = async () => {
    customers += 1;
    const customer = `cus_console_${customers}`;
    accepted(await service().parts.linkCustomer(holder().account, customer, null, 'test'));
    isUnderstood = false;
    const payload = Buffer.from(JSON.stringify(paused(customer)));
    const event = await service().parts.readPaymentEvent(payload);
    expect((await service().parts.paymentEvents.receive(event)).state).to.equal('failed');
    return { id: event.id, path: `/operator/payment-events/${event.id}` };
  };

  it('that failed, once it can be understood; the reason is in the log of the account', async () => {
    const { id, path } = await received();
    const person = await operator();
    expect((await person.open('/operator/payment-events')).html).to.include(`href="${path}"`);
    expect((await person.open(path)).text).to.include('a word that nobody knows');
    isUnderstood = true;
    const page = await person.submit(`${path}/replay`, { reason: 'understood by now' });
    expect(page.text).to.include('The payment event was replayed, and is applied.').and.include(id);
    expect(await statusNow()).to.equal(402);
    expect(await lastEntry()).to.deep.equal({
      actor: 'operator',
      event: 'payment_event_replayed',
      reason: `${id}: understood by now`,
      key: null,
      at: service().clock.at,
    });
    expect((await person.open(path)).html).to.not.include('/replay"');
    expect((await person.open(home())).html).to.include(`href="${path}"`);

    // Of an event whose account is known it is written before, so that nothing is done unnoted.
    isUnderstood = false;
    await person.submit(`${path}/replay`, { reason: 'once more' });
    expect((await lastEntry())?.reason).to.equal(`${id}: once more`);
  });

  it('that fails again, and says so', async () => {
    const { path } = await received();
    const person = await operator();
    await person.open(path);
    const page = await person.submit(`${path}/replay`, { reason: 'try' });
    expect(page.text).to.include('and failed again').and.include('a word that nobody knows');
    expect(await statusNow()).to.equal(200);
  });

  it('with a reason, and from its own form', async () => {
    const { id, path } = await received();
    const person = await operator();
    await person.open(path);
    const before = await everythingNow();
    isUnderstood = true;
    expect((await person.submit(`${path}/replay`, { reason: ' ' })).status).to.equal(400);
    expect((await person.post(`${path}/replay`, { reason: 'forged' })).status).to.equal(403);
    expect(await everythingNow()).to.deep.equal(before);
    expect((await service().parts.inbox.find(id))?.state).to.equal('failed');
    expect((await person.glance('/operator/payment-events/evt_nobody')).status).to.equal(404);
    await person.open(path);
    const nobody = await person.submit('/operator/payment-events/evt_nobody/replay', { reason: 'x' });
    expect(nobody.status).to.equal(404);
  });
});
