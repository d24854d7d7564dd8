import { expect } from 'chai';
import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import { accepted } from '../../support/objects/builders.js';
import { operatorConsole } from '../../support/service/operator-console.js';

describe('The operator console', () => {
  /** Whether the service can read the events of the processor. */
  let isUnderstood: boolean;
  beforeEach(() => {
    isUnderstood = true;
  });
  const { service, holder, operator, home, statusNow, lastEntry, everythingNow } = operatorConsole(() => ({
    readPaymentEvent: () => async (payload) => {
      const event = JSON.parse(payload.toString('utf8')) as Omit<ReceivedEvent, 'payload'>;
      return { ...event, fault: isUnderstood ? null : 'an unknown status', payload };
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

  it('lists an ignored event of which an operator must decide, with its reason', async () => {
    const person = await operator();
    expect((await person.open('/operator/payment-events')).text).not.to.include(
      'Ignored, for you to look at',
    );
    const lost = {
      ...paused('cus_nobody'),
      ...{ id: 'evt_dispute', type: 'charge.dispute.closed', customer: null, fact: null },
      ...{ notUsed: 'the dispute of charge ch_1 was lost', payload: Buffer.from('{}') },
    };
    expect((await service().parts.paymentEvents.receive(lost)).state).to.equal('ignored');
    const page = await person.open('/operator/payment-events');
    expect(page.text).to.include('Ignored, for you to look at').and.include('ch_1 was lost');
    expect(page.html).to.include('href="/operator/payment-events/evt_dispute"');
  });

  it('replays a failed event that can be read now, and records the reason in the audit log', async () => {
    const { id, path } = await received();
    const person = await operator();
    expect((await person.open('/operator/payment-events')).html).to.include(`href="${path}"`);
    expect((await person.open(path)).text).to.include('an unknown status');
    isUnderstood = true;
    const page = await person.submit(`${path}/replay`, { reason: 'understood by now' });
    expect(page.text).to.include('The payment event was replayed and applied.').and.include(id);
    expect(page.html).to.include('<div class="notice good" role="status">');
    expect(await statusNow()).to.equal(402);
    expect(await lastEntry()).to.deep.equal({
      actor: 'operator',
      event: 'payment_event_replayed',
      reason: `${id}: understood by now`,
      key: null,
      at: service().clock.at,
    });
    expect((await person.open(path)).html).to.not.include('/replay"');
    expect((await person.open(`${home()}/payments`)).html).to.include(`href="${path}"`);

    // If the account is known, the entry is written before the replay, so that no replay goes unrecorded.
    isUnderstood = false;
    await person.submit(`${path}/replay`, { reason: 'once more' });
    expect((await lastEntry())?.reason).to.equal(`${id}: once more`);
  });

  it('reports a replay that fails again', async () => {
    const { path } = await received();
    const person = await operator();
    await person.open(path);
    const page = await person.submit(`${path}/replay`, { reason: 'try' });
    expect(page.text).to.include('and failed again').and.include('an unknown status');
    expect(page.html).to.include('<div class="notice bad" role="alert">').and.not.include('notice good');
    expect(await statusNow()).to.equal(200);
  });

  it('replays an event only with a reason and a form of the same session', async () => {
    const { id, path } = await received();
    const person = await operator();
    await person.open(path);
    const before = await everythingNow();
    isUnderstood = true;
    expect((await person.submit(`${path}/replay`, { reason: ' ' })).status).to.equal(400);
    expect((await person.post(`${path}/replay`, { reason: 'forged' })).status).to.equal(403);
    expect(await everythingNow()).to.deep.equal(before);
    expect((await service().parts.inbox.find(id))?.state).to.equal('failed');
    expect((await person.openOnce('/operator/payment-events/evt_nobody')).status).to.equal(404);
    await person.open(path);
    const nobody = await person.submit('/operator/payment-events/evt_nobody/replay', { reason: 'x' });
    expect(nobody.status).to.equal(404);
  });
});
