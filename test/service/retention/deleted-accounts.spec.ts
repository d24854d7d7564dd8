import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { PostgresIdentities } from '../../../src/adapters/postgres/sign-in/postgres-identities.js';
import { PostgresOneTimeTokens } from '../../../src/adapters/postgres/sign-in/postgres-one-time-tokens.js';
import { PostgresSessions } from '../../../src/adapters/postgres/sign-in/postgres-sessions.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import type { Moment } from '../../../src/domain/moment.js';
import { recordJoin } from '../../../src/domain/sign-in/account-identities.js';
import { startSession } from '../../../src/domain/sign-in/session.js';
import { linkToken, type SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { dumpHas, dumpOf } from '../../support/dumps/dump.js';
import { stripeEvent, stripeInvoice, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { seconds } from '../../support/service/processor-customer.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** Every personal value of one person, each of them unique. */
const ADA = {
  address: 'ada-lovelace@example.org',
  label: 'laptop of Ada “Countess”',
  holdReason: 'Ada Lovelace asked by telephone\nat +44 20 7946 0000',
  subject: 'google-subject-of-ada',
  invoiceName: 'Augusta Ada King, 12 St James Square',
  unusedName: 'Ada in an event that is not used',
  failedName: 'Ada in an event that cannot be read',
  otherCheckoutName: 'Ada in a checkout of another customer',
  oldVersionName: 'Ada in an event that 0.2.0 stored',
  lateName: 'Ada in an event after the deletion',
} as const;

describe('A deleted account', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let url: string;
  let db: Knex;
  before(async () => {
    url = await freshDatabase(serverUrl());
    service = await startService({ DATABASE_URL: url, REDIS_URL: redisUrl() }, 2);
    client = await Client.of(service);
    db = connect(url, REQUEST_TIMEOUTS, 2);
  });
  after(async () => {
    await disconnect(db);
    await service.stop();
  });

  const personalValuesIn = async (): Promise<readonly string[]> => {
    const dump = await dumpOf(url);
    expect(dumpHas(dump, 'svc_'), 'the dump has rows').to.equal(true);
    return Object.values(ADA).filter((value) => dumpHas(dump, value));
  };

  /** Opens the account of Ada, with one object of each kind that has personal data. */
  async function openAda(customer: string): Promise<AccountId> {
    const { json } = await client.operate('POST', '/internal/v1/accounts', {
      ...{ email: ADA.address, plan: 'pro', processor_customer_id: customer },
    });
    const { account_id: id } = json as { readonly account_id: AccountId };
    await client.operate('POST', `/internal/v1/accounts/${id}/keys`, { label: ADA.label });
    await client.operate('POST', `/internal/v1/accounts/${id}/hold`, { reason: ADA.holdReason });
    const now = (await client.time()) as Moment;
    const identity = { issuer: 'https://accounts.id.example', subject: ADA.subject, joinedAt: now };
    await new PostgresIdentities(db).join(identity, id, (found) =>
      recordJoin(found, identity.issuer, { actor: 'customer', at: now }),
    );
    await new PostgresSessions(db).start(
      unique() as SecretHash,
      startSession({ kind: 'account', account: id }, now),
    );
    const link = linkToken(ADA.address as EmailAddress, unique() as SecretHash, now);
    await new PostgresOneTimeTokens(db).keep(unique() as SecretHash, link);
    return id;
  }

  async function deliverAll(customer: string, id: AccountId): Promise<void> {
    const at = await seconds(client);
    const personal = (name: string) => ({ more: { customer_name: name } });
    const states = [];
    for (const event of [
      stripeEvent(
        'customer.subscription.deleted',
        stripeSubscription({ customer, ...personal(ADA.invoiceName) }),
        at,
      ),
      stripeEvent('invoice.finalized', stripeInvoice({ customer, ...personal(ADA.unusedName) }), at),
      stripeEvent(
        'customer.subscription.updated',
        stripeSubscription({ customer, status: 'hibernating', ...personal(ADA.failedName) }),
        at,
      ),
      stripeEvent(
        'checkout.session.completed',
        { customer: `cus_${unique()}`, client_reference_id: id, created: at, name: ADA.otherCheckoutName },
        at,
      ),
    ]) {
      states.push(((await client.deliver(event)).json as { readonly state: string }).state);
    }
    expect(states).to.deep.equal(['applied', 'ignored', 'failed', 'failed']);
    // 0.2.0 stores events that are not used without their customer.
    await db('payment_event').insert({
      ...{
        id: 'evt_old',
        type: 'invoice.created',
        at: new Date(),
        received_at: new Date(),
        state: 'ignored',
      },
      payload: Buffer.from(JSON.stringify({ customer, name: ADA.oldVersionName })),
    });
  }

  it('leaves no personal value in a dump of the database', async () => {
    const customer = `cus_${unique()}`;
    const id = await openAda(customer);
    await deliverAll(customer, id);
    // The notices of the changes above are stored.
    await until(true, async () => Number((await db('notice').count())[0]?.['count']) > 2);
    expect(await personalValuesIn()).to.have.members(
      Object.values(ADA).filter((value) => value !== ADA.lateName),
    );

    expect((await client.operate('DELETE', `/internal/v1/accounts/${id}`)).status).to.equal(204);
    const at = await seconds(client);
    const late = stripeInvoice({ customer, more: { customer_name: ADA.lateName } });
    for (const type of ['invoice.paid', 'invoice.finalized']) {
      expect((await client.deliver(stripeEvent(type, late, at))).json).to.deep.equal({ state: 'ignored' });
    }
    expect(await personalValuesIn()).to.deep.equal([]);
    expect(dumpHas(await dumpOf(url), `deleted-${id}`)).to.equal(true);
  });
});
