import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresOutbox } from '../../../src/adapters/postgres/accounts/postgres-outbox.js';
import { PostgresPaymentInbox } from '../../../src/adapters/postgres/billing/postgres-payment-inbox.js';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { readFilteredPageOf } from '../../../src/adapters/postgres/feed/filtered-pages.js';
import { PostgresUnindexedItems } from '../../../src/adapters/postgres/feed/postgres-unindexed-items.js';
import { Instances } from '../../../src/adapters/postgres/instances.js';
import { PostgresGate } from '../../../src/adapters/postgres/keys/postgres-gate.js';
import { PostgresKeyUses } from '../../../src/adapters/postgres/keys/postgres-key-uses.js';
import { PostgresUsageHistory } from '../../../src/adapters/postgres/limits/postgres-usage-history.js';
import { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import { PostgresLeases } from '../../../src/adapters/postgres/postgres-leases.js';
import { PostgresTestClock } from '../../../src/adapters/postgres/postgres-test-clock.js';
import { PostgresExpiredRows } from '../../../src/adapters/postgres/retention/postgres-expired-rows.js';
import { PostgresIdentities } from '../../../src/adapters/postgres/sign-in/postgres-identities.js';
import { PostgresOneTimeTokens } from '../../../src/adapters/postgres/sign-in/postgres-one-time-tokens.js';
import { PostgresSessions } from '../../../src/adapters/postgres/sign-in/postgres-sessions.js';
import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { termOf } from '../../../src/domain/feed/filters/item-terms.js';
import { DAY, HOUR, plus } from '../../../src/domain/moment.js';
import { EXPIRING_TABLES } from '../../../src/domain/retention.js';
import { recordJoin, recordRemoval } from '../../../src/domain/sign-in/account-identities.js';
import { startSession } from '../../../src/domain/sign-in/session.js';
import { linkToken, type SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { postgresFeed } from '../../support/copies/joined-feed.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { ofAnotherRole } from '../../support/servers/write-faults.js';
import { anAccount, firstKey } from '../../support/service/accounts.js';

const LATER = plus(NOON, 100 * DAY);
const hash = (name: string) => name as SecretHash;

describe('A role with only the grants that the service needs', () => {
  let postgres: TestPostgres;
  let url: string;
  let db: Knex;
  let accounts: PostgresAccounts;
  before(async () => {
    postgres = await startTestPostgres();
    url = await ofAnotherRole(postgres.url);
    db = connect(url, REQUEST_TIMEOUTS, 4);
    accounts = new PostgresAccounts(db);
  });
  after(async () => {
    await disconnect(db);
    await postgres.stop();
  });

  it('can publish, replace, retract, purge and read items', async () => {
    const feed = postgresFeed(db);
    const item = { id: 'a', scoredAt: NOON, json: Buffer.from('{}'), subMarketIds: ['m'] };
    for (const mode of ['live', 'backfill', 'live'] as const) await feed.publish([item], mode);
    await feed.find(['a']);
    const logs = new PostgresChangeLogs(url);
    await logs.readAfter(await logs.newest());
    await logs.close();
    await feed.raiseHead(LATER, LATER);
    await feed.page({ before: null, since: null, newsId: null, marketId: 'm', terms: [], count: 10 });
    const terms = [[termOf('word', 'a')]];
    await readFilteredPageOf(db, {
      before: null,
      since: null,
      newsId: null,
      marketId: null,
      terms,
      count: 9,
    });
    await db('item').update({ has_terms: null });
    expect(await new PostgresUnindexedItems(db).index(10)).to.equal(1);
    expect(await feed.retract('a')).to.equal(true);
    expect(await feed.purge('a', { actor: 'test', reason: 'a test' as Reason })).to.equal('purged');
  });

  it('can store accounts, keys, identities, notices, payment events and leases', async () => {
    const account = await anAccount(accounts, 2);
    await accounts.claimDue(LATER, 10);
    expect(await new PostgresGate(db).find(firstKey(account).hash)).not.to.equal(null);
    const identities = new PostgresIdentities(db);
    const identity = { issuer: 'https://id.example', subject: 's', joinedAt: NOON };
    await identities.join(identity, account.id, (found) =>
      recordJoin(found, identity.issuer, { actor: 'customer', at: NOON }),
    );
    accepted(await identities.removeAll(account.id, (found) => recordRemoval(found, auditContext())));
    const outbox = new PostgresOutbox(db);
    const [first, second] = await outbox.claim(LATER, 10);
    await outbox.putBack(first?.id ?? '', LATER);
    await outbox.close(second?.id ?? '', 'sent');
    const inbox = new PostgresPaymentInbox(db);
    const event: ReceivedEvent = {
      ...{ id: 'evt', type: 'x', at: NOON, customer: 'cus', fact: null, fault: null },
      link: { account: account.id, refusal: null },
      payload: Buffer.from('{}'),
    };
    const apply = (found: typeof account) => ({ next: found, entries: [] });
    await inbox.receive(event, NOON, apply);
    await inbox.replay(event, NOON, apply);
    const leases = new PostgresLeases(db);
    const abandoned = await leases.acquire('work', NOON, true);
    if (abandoned !== null) await leases.abandon(abandoned);
    const released = await leases.acquire('work', NOON, true);
    expect(released).not.to.equal(null);
    if (released !== null) await leases.release(released, NOON, LATER);
  });

  it('can sign users in and out, and delete expired tokens and sessions', async () => {
    const [sessions, oneTimeTokens] = [new PostgresSessions(db), new PostgresOneTimeTokens(db)];
    const holder = { kind: 'operator', name: 'ops', by: { group: 'ops' } } as const;
    for (const at of [NOON, LATER]) {
      await sessions.start(hash(at), startSession(holder, at));
      await oneTimeTokens.keep(hash(at), linkToken('a@example.org' as EmailAddress, hash('h'), at));
    }
    for (const table of EXPIRING_TABLES)
      await new PostgresExpiredRows(db).delete(table, { until: plus(NOON, DAY), newestKept: 1 }, 1_000);
    expect([await sessions.find(hash(NOON)), await oneTimeTokens.find(hash(NOON))]).to.deep.equal([
      null,
      null,
    ]);
    await sessions.note(hash(LATER), plus(LATER, HOUR));
    await sessions.end(hash('other'));
    await sessions.endAll(holder);
    await oneTimeTokens.take(hash('other'));
    await oneTimeTokens.removeLinks('a@example.org');
    expect([await sessions.find(hash(LATER)), await oneTimeTokens.find(hash(LATER))]).to.deep.equal([
      null,
      null,
    ]);
  });

  it('can count usage, write heartbeats and advance the test clock', async () => {
    const key = firstKey(await anAccount(accounts));
    const [keyUses, usage] = [new PostgresKeyUses(db), new PostgresUsageHistory(db)];
    keyUses.note(key.id, NOON);
    expect((await keyUses.of([key.id])).size).to.equal(1);
    usage.note(key.id, 200, NOON);
    await usage.write();
    expect(await usage.of([key.id], NOON)).to.have.length(1);
    const instances = new Instances(db, () => {});
    await instances.beat();
    const clock = new PostgresTestClock(db, instances, () => NOON);
    await clock.start();
    await clock.advance(HOUR);
    expect(clock.now()).to.equal(plus(NOON, HOUR));
    for (const component of [clock, instances, usage, keyUses]) await component.close();
  });
});
