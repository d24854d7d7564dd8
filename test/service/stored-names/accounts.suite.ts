import { expect } from 'chai';
import { stripeSubscription } from '../../support/objects/stripe-objects.js';
import {
  account,
  actOn,
  advance,
  aKey,
  issue,
  type KeyView,
  problem,
  unique,
} from '../../support/service/api-calls.js';
import type { Client } from '../../support/service/client.js';
import { aCustomer, deliverEvent, seconds } from '../../support/service/processor-customer.js';
import { until } from '../../support/until.js';
import { bothWays, freshAddress, type RunningVersions, sameAnswer, type Version } from './two-versions.js';

type View = {
  readonly subscription: Readonly<Record<string, unknown>>;
  readonly keys: readonly (KeyView & Readonly<Record<string, unknown>>)[];
  readonly audit: readonly { readonly event: string; readonly cause: string | null }[];
};

const DAY = 86_400;

/** The answer to a request with a key: its status, code and causes. */
const answer = async ({ client }: Version, { key }: { readonly key: string }) => {
  const reply = await client.news(key, '?limit=1', freshAddress());
  return reply.status === 200 ? [200] : [reply.status, problem(reply).code, problem(reply).causes ?? null];
};

const view = (writer: Version, reader: Version, id: string) =>
  sameAnswer<View>(writer, reader, `/accounts/${id}`);

export function accountsSuite(versions: RunningVersions): void {
  describe('of accounts:', () => {
    bothWays(versions, 'a new account', async (writer, reader) => {
      const id = await account(writer.client, 'builder');
      const found = await view(writer, reader, id);
      expect(found.subscription).to.deep.include({
        ...{ plan: 'builder', state: 'active', causes: [], dunning: null, abuse_detection: true },
        ...{ processor_subscription_id: null, trial_ends_at: null, period_ends_at: null },
      });
      expect(found).to.deep.include({ account_id: id, processor_customer_id: null, keys: [] });
      expect(found.audit).to.have.length(1);
      expect(found.audit[0]).to.deep.include({
        event: 'opened',
        actor: 'operator',
        cause: null,
        key_id: null,
      });
    });
    suspensions(versions);
    subscriptionStates(versions);
    keyStates(versions);
  });
}

function suspensions(versions: RunningVersions): void {
  const on = (client: Client, id: string, verb: string, body: object) =>
    client.operate('POST', `/internal/v1/accounts/${id}/${verb}`, body);

  bothWays(versions, 'a subscription on hold, and its release', async (writer, reader) => {
    const key = await aKey(writer.client);
    await until([200], () => answer(reader, key));
    expect((await on(writer.client, key.account, 'hold', { reason: 'a claim' })).status).to.equal(200);
    await until([402, 'key_suspended', ['manual_hold']], () => answer(reader, key));
    expect((await view(writer, reader, key.account)).subscription).to.deep.include({
      state: 'active',
      causes: ['manual_hold'],
    });
    expect((await on(reader.client, key.account, 'release', { reason: 'settled' })).status).to.equal(200);
    await until([200], () => answer(writer, key));
    const { audit, subscription } = await view(writer, reader, key.account);
    expect(audit.map(({ event, cause }) => [event, cause])).to.deep.equal([
      ['opened', null],
      ['issued', null],
      ['held', 'manual_hold'],
      ['released', 'manual_hold'],
    ]);
    expect(subscription['causes']).to.deep.equal([]);
  });

  bothWays(
    versions,
    'a subscription suspended for a failed payment, and the payment',
    async (writer, reader) => {
      const customer = await aCustomer(writer.client);
      const invoice = `in_${unique()}`;
      await customer.tells('past_due');
      await customer.fails(5, invoice);
      await until([402, 'key_suspended', ['payment_failure']], () => answer(reader, customer.key));
      const owing = (await view(writer, reader, customer.account)).subscription;
      expect(owing).to.deep.include({ state: 'active', causes: ['payment_failure'] });
      expect(owing).to.have.nested.property('dunning.open_invoices[0].invoice_id', invoice);
      expect(owing).to.have.nested.property('dunning.open_invoices[0].failed_retries', 4);
      await advance(writer.client, 1);
      await aCustomerAt(reader.client, customer).pays(invoice);
      await until([200], () => answer(writer, customer.key));
      expect((await view(writer, reader, customer.account)).subscription).to.deep.include({
        causes: [],
        dunning: null,
      });
    },
  );

  bothWays(versions, 'abuse detection that is turned off', async (writer, reader) => {
    const id = await account(writer.client);
    await on(writer.client, id, 'abuse-detection', { enabled: false, reason: 'a fleet' });
    expect((await view(writer, reader, id)).subscription).to.include({ abuse_detection: false });
    await on(reader.client, id, 'abuse-detection', { enabled: true, reason: 'no fleet' });
    expect((await view(writer, reader, id)).subscription).to.include({ abuse_detection: true });
  });
}

function subscriptionStates(versions: RunningVersions): void {
  for (const [status, expected] of [['canceled', [401, 'key_revoked', null]]] as const) {
    bothWays(versions, `a subscription that is ${status}`, async (writer, reader) => {
      const customer = await aCustomer(writer.client);
      await customer.tells('active');
      await until([200], () => answer(reader, customer.key));
      await advance(writer.client, 1);
      await customer.tells(status);
      await until(expected, () => answer(reader, customer.key));
      const { subscription, keys } = await view(writer, reader, customer.account);
      expect([subscription['state'], keys[0]?.revocation_cause]).to.deep.equal([
        status,
        status === 'canceled' ? 'cancellation' : null,
      ]);
    });
  }

  bothWays(versions, 'a trial with its end', async (writer, reader) => {
    const customer = await aCustomer(writer.client);
    const created = await seconds(writer.client);
    const trial = { id: `sub_${unique()}`, customer: customer.customer, created, status: 'trialing' };
    const object = stripeSubscription({ ...trial, trialEnd: created + DAY });
    await deliverEvent(writer.client, 'customer.subscription.created', object);
    expect((await view(writer, reader, customer.account)).subscription).to.include({
      state: 'trialing',
      processor_subscription_id: trial.id,
      trial_ends_at: new Date((created + DAY) * 1_000).toISOString().replace('000Z', '000000Z'),
    });
  });

  bothWays(versions, 'dunning, which the other version continues', async (writer, reader) => {
    const customer = await aCustomer(writer.client);
    const invoice = `in_${unique()}`;
    await customer.tells('past_due');
    await customer.fails(1, invoice);
    type Dunning = {
      readonly open_invoices: readonly Readonly<Record<string, unknown>>[];
      readonly suspends_at: string;
    };
    const dunning = async () =>
      (await view(writer, reader, customer.account)).subscription['dunning'] as Dunning;
    const first = await dunning();
    expect(first.suspends_at).to.match(/^\d{4}-/);
    expect(first.open_invoices[0]?.['next_retry_at']).to.match(/^\d{4}-/);
    await aCustomerAt(reader.client, customer).fails(3, invoice);
    const second = await dunning();
    expect([second.open_invoices[0]?.['failed_retries'], second.suspends_at]).to.deep.equal([
      2,
      first.suspends_at,
    ]);
    expect(second.open_invoices[0]?.['first_failed_at']).to.equal(
      first.open_invoices[0]?.['first_failed_at'],
    );
  });
}

/** The same customer, whose events the other version receives. */
function aCustomerAt(
  client: Client,
  { customer, account: id, view: now }: Awaited<ReturnType<typeof aCustomer>>,
) {
  const subscription = async () =>
    ((await now()).subscription as unknown as { readonly processor_subscription_id: string })
      .processor_subscription_id;
  const invoiceOf = async (invoice: string, more: object) => ({
    ...{ id: invoice, object: 'invoice', customer, billing_reason: 'subscription_cycle' },
    ...{
      next_payment_attempt: null,
      parent: { subscription_details: { subscription: await subscription() } },
    },
    ...more,
  });
  return {
    id,
    fails: async (attempt_count: number, invoice: string) =>
      deliverEvent(
        client,
        'invoice.payment_failed',
        await invoiceOf(invoice, { status: 'open', attempt_count }),
      ),
    pays: async (invoice: string) =>
      deliverEvent(client, 'invoice.paid', await invoiceOf(invoice, { status: 'paid', attempt_count: 5 })),
  };
}

function keyStates(versions: RunningVersions): void {
  bothWays(versions, 'a key in each state', async (writer, reader) => {
    const id = await account(writer.client);
    const { client } = writer;
    const [held, retired, revoked, older] = [
      await issue(client, id),
      await issue(client, id),
      await issue(client, id),
      await issue(client, id),
    ];
    const labelled = (
      await client.operate('POST', `/internal/v1/accounts/${id}/keys`, { label: 'production' })
    ).json as KeyView;
    await actOn(client, held.key_id, 'hold', { reason: 'leaked' });
    await actOn(client, retired.key_id, 'revoke', { cause: 'rotation' });
    await actOn(client, revoked.key_id, 'revoke', { cause: 'manual' });
    const successor = (await actOn(client, older.key_id, 'rotate', {})).json as KeyView;

    const states = async () => {
      const { keys } = await view(writer, reader, id);
      return [held, retired, revoked, older, labelled, successor].map(({ key_id }) => {
        const key = keys.find((other) => other.key_id === key_id);
        const bits = [key?.['label'], key?.['predecessor_id'], key?.['successor_id']];
        return [
          key?.status,
          key?.causes,
          key?.revocation_cause,
          key?.grace_until !== null,
          ...bits.map(Boolean),
        ];
      });
    };
    expect(await states()).to.deep.equal([
      ['suspended', ['manual_hold'], null, false, false, false, false],
      ['revoked', [], 'rotation', true, false, false, false],
      ['revoked', [], 'manual', false, false, false, false],
      ['active', [], null, false, false, false, true],
      ['active', [], null, false, true, false, false],
      ['active', [], null, false, false, true, false],
    ]);
    await until([402, 'key_suspended', ['manual_hold']], () => answer(reader, held));
    for (const one of [retired, older, labelled, successor])
      expect(await answer(reader, one)).to.deep.equal([200]);
    expect(await answer(reader, revoked)).to.deep.equal([401, 'key_revoked', null]);

    await actOn(reader.client, held.key_id, 'release', { reason: 'it was not' });
    // Both versions store the use of the successor when they are asked. This version counts the day from that use.
    await states();
    await advance(reader.client, DAY + 60);
    await until([200], () => answer(writer, held));
    await until([401, 'key_revoked', null], () => answer(writer, retired));
    expect((await states()).slice(0, 4)).to.deep.equal([
      ['active', [], null, false, false, false, false],
      ['revoked', [], 'rotation', false, false, false, false],
      ['revoked', [], 'manual', false, false, false, false],
      ['revoked', [], 'rotation', true, false, false, false],
    ]);
  });

  bothWays(
    versions,
    'a revoked key that is held, and the time at which a key was last used',
    async (writer, reader) => {
      const id = await account(writer.client);
      const [key, other] = [await issue(writer.client, id), await issue(writer.client, id)];
      await actOn(writer.client, key.key_id, 'hold', { reason: 'leaked' });
      await actOn(writer.client, key.key_id, 'revoke', { cause: 'manual' });
      expect(await answer(writer, other)).to.deep.equal([200]);
      const { keys } = await view(writer, reader, id);
      expect(keys.map(({ status, last_used_at }) => [status, last_used_at !== null])).to.deep.equal([
        ['revoked', false],
        ['active', true],
      ]);
      const issued = async () =>
        (await reader.client.operate('POST', `/internal/v1/accounts/${id}/keys`)).status;
      expect([await issued(), await issued(), await issued(), await issued()]).to.deep.equal([
        201, 201, 201, 409,
      ]);
      expect((await actOn(reader.client, key.key_id, 'release', { reason: 'found' })).status).to.equal(200);
      expect(await issued()).to.equal(201);
    },
  );
}
