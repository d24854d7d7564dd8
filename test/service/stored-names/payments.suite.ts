import { expect } from 'chai';
import { stripeEvent, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { account, actOn, advance, issue, type KeyView, unique } from '../../support/service/api-calls.js';
import type { Client } from '../../support/service/client.js';
import { aCustomer, seconds } from '../../support/service/processor-customer.js';
import { bothWays, type RunningVersions, sameAnswer } from './two-versions.js';

type EventView = {
  readonly state: string;
  readonly fault: string | null;
  readonly account_id: string | null;
};
type AccountView = {
  readonly processor_customer_id: string | null;
  readonly subscription: { readonly state: string };
};

/** Delivers an event, and answers its id and what became of it. */
async function deliver(client: Client, type: string, object: object) {
  const event = stripeEvent(type, object, await seconds(client));
  const reply = await client.deliver(event);
  expect(reply.status).to.equal(200);
  return { id: event.id, state: (reply.json as { readonly state: string }).state };
}

const checkout = async (client: Client, customer: string, reference: string) =>
  deliver(client, 'checkout.session.completed', {
    ...{ id: `cs_${unique()}`, object: 'checkout.session', customer, created: await seconds(client) },
    client_reference_id: reference,
  });

export function paymentsSuite(versions: RunningVersions): void {
  describe('of payments:', () => {
    events(versions);
    notices(versions);
  });
}

function events(versions: RunningVersions): void {
  bothWays(versions, 'a checkout reference, which the other version links', async (writer, reader) => {
    const id = await account(writer.client, 'free');
    const path = `/internal/v1/accounts/${id}/checkout-reference`;
    const made = (await writer.client.operate('POST', path)).json as { readonly checkout_reference: string };
    const customer = `cus_${unique()}`;
    const { id: event, state } = await checkout(reader.client, customer, made.checkout_reference);
    expect(state).to.equal('applied');
    const linked = await sameAnswer<AccountView>(writer, reader, `/accounts/${id}`);
    expect(linked.processor_customer_id).to.equal(customer);
    const seen = await sameAnswer<EventView>(writer, reader, `/payment-events/${event}`);
    expect(seen).to.include({ state: 'applied', account_id: id, fault: null });
    const replayed = await writer.client.operate('POST', `/internal/v1/payment-events/${event}/replay`);
    expect(replayed.json).to.include({ state: 'applied', account_id: id });
  });

  bothWays(versions, 'a waiting event, which the other version applies', async (writer, reader) => {
    const customer = `cus_${unique()}`;
    const object = stripeSubscription({ customer, id: `sub_${unique()}`, status: 'paused' });
    const { id: event, state } = await deliver(writer.client, 'customer.subscription.updated', object);
    expect(state).to.equal('waiting');
    const waiting = await sameAnswer<EventView>(writer, reader, `/payment-events/${event}`);
    expect(waiting).to.include({ state: 'waiting', account_id: null, processor_customer_id: customer });
    const listed = await sameAnswer<{ events: object[] }>(writer, reader, '/payment-events?state=waiting');
    expect(listed.events).to.deep.include(waiting);

    const id = await account(writer.client);
    const linking = { processor_customer_id: customer };
    const linked = await reader.client.operate('POST', `/internal/v1/accounts/${id}/customer`, linking);
    expect(linked.status).to.equal(200);
    const { subscription } = await sameAnswer<AccountView>(writer, reader, `/accounts/${id}`);
    expect(subscription).to.include({ state: 'paused', plan: 'pro', processor_subscription_id: object.id });
    const applied = await sameAnswer<EventView>(writer, reader, `/payment-events/${event}`);
    expect(applied).to.include({ state: 'applied', account_id: id });
    const ofAccount = await sameAnswer<{ events: object[] }>(
      writer,
      reader,
      `/payment-events?account_id=${id}`,
    );
    expect(ofAccount.events).to.deep.equal([applied]);
  });

  bothWays(versions, 'an event that failed, which the other version replays', async (writer, reader) => {
    const id = await account(writer.client);
    const { id: event, state } = await checkout(writer.client, `cus_${unique()}`, id);
    expect(state).to.equal('failed');
    const failed = await sameAnswer<EventView>(writer, reader, `/payment-events/${event}`);
    expect(failed).to.include({ state: 'failed', account_id: null });
    expect(failed.fault).to.include(id);
    const replayed = await reader.client.operate('POST', `/internal/v1/payment-events/${event}/replay`);
    // The replay writes the fault in the words of its own version.
    expect({ ...(replayed.json as EventView), fault: failed.fault }).to.deep.equal(failed);
    expect((replayed.json as EventView).fault).to.include(id);
  });

  bothWays(versions, 'an event that the other version received before', async (writer, reader) => {
    const customer = await aCustomer(writer.client);
    const object = stripeSubscription({ customer: customer.customer, status: 'paused' });
    const event = stripeEvent('customer.subscription.updated', object, await seconds(writer.client));
    const states = [await writer.client.deliver(event), await reader.client.deliver(event)];
    expect(states.map(({ json }) => json)).to.deep.equal([{ state: 'applied' }, { state: 'known' }]);
  });
}

/** Either version may send a notice. The advance has the reader send what the writer has just stored. */
function notices(versions: RunningVersions): void {
  bothWays(versions, 'a notice of each kind', async (writer, reader, { mail }) => {
    const customer = await aCustomer(writer.client);
    const email = `${customer.customer}@example.org`;
    const invoice = `in_${unique()}`;
    const { client } = writer;
    let count = 0;
    const sent = async (more: number) => {
      count += more;
      await advance(reader.client, 0);
      await mail.arrived(({ to }) => to === email, count);
    };
    await sent(1);
    const successor = (await actOn(client, customer.key.key_id, 'rotate', {})).json as KeyView;
    await actOn(client, customer.key.key_id, 'revoke', { cause: 'rotation' });
    await sent(2);
    await actOn(client, successor.key_id, 'hold', { reason: 'leaked' });
    await actOn(client, successor.key_id, 'release', { reason: 'it was not' });
    await sent(2);
    await customer.tells('past_due');
    await customer.fails(1, invoice);
    await customer.fails(5, invoice);
    await sent(2);
    await advance(client, 1);
    await customer.pays(invoice);
    const other = await issue(client, customer.account);
    await actOn(client, other.key_id, 'revoke', { cause: 'manual' });
    await sent(3);
    await advance(client, 1);
    await customer.tells('canceled');
    await sent(1);

    const texts = mail.mails.filter(({ to }) => to === email).map(({ text }) => text);
    const withText = (included: string) => texts.filter((text) => text.includes(included)).length;
    expect(withText(invoice)).to.equal(1);
    expect(withText(customer.key.key.slice(0, 12))).to.equal(2);
    expect(withText(successor.key.slice(0, 12))).to.equal(3);
    expect(withText(other.key.slice(0, 12))).to.equal(2);
    expect(texts.join()).not.to.match(/undefined|null|NaN|Invalid/);
    expect(texts).to.have.length(count);
  });
}
