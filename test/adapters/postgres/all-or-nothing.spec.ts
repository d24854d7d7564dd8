import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { migrate } from '../../../src/adapters/postgres/migrate.js';
import type { FeedRange, FeedStore, ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { postgresFeed } from '../../support/copies/joined-feed.js';
import { auditContext, NOON } from '../../support/objects/builders.js';
import { emptySchema } from '../../support/servers/stores.js';
import { aFreshKey, anAccount, anOpening, firstKey } from '../../support/service/accounts.js';

const EVERYTHING: FeedRange = {
  before: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: [],
  count: 100,
};

/** D25, D11: a change is stored completely or not at all. Each test makes one table refuse every row. */
describe('A transaction that fails halfway', () => {
  let db: Knex;
  let accounts: PostgresAccounts;
  let feed: FeedStore;
  beforeEach(async () => {
    const url = await emptySchema();
    await migrate(url);
    db = connect(url, REQUEST_TIMEOUTS, 4);
    accounts = new PostgresAccounts(db);
    feed = postgresFeed(db);
  });
  afterEach(() => disconnect(db));

  const refuseAll = (table: string) =>
    db.raw('alter table ?? add constraint refused check (false) not valid', [table]);
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (fault: unknown) => fault,
    );

  it('stores no account if the audit entry of its opening fails', async () => {
    await refuseAll('audit');
    const opening = anOpening();
    expect(await faultOf(accounts.open(opening))).to.be.instanceOf(Error);
    expect(await accounts.find(opening.next.id)).to.equal(null);
  });

  for (const table of ['audit', 'api_key']) {
    it(`leaves the account unchanged when ${table} refuses rows: issue, rotation`, async () => {
      const account = await anAccount(accounts);
      const audit = await accounts.auditOf(account.id);
      await refuseAll(table);
      const issuing = accounts.change(account.id, (found) =>
        issueKey(found, aFreshKey(), PLANS.pro, auditContext()),
      );
      expect(await faultOf(issuing)).to.be.instanceOf(Error);
      const rotating = accounts.change(account.id, (found) =>
        rotateKey(found, firstKey(found).id, aFreshKey(), auditContext()),
      );
      expect(await faultOf(rotating)).to.be.instanceOf(Error);
      expect(await accounts.find(account.id)).to.deep.equal(account);
      expect(await accounts.auditOf(account.id)).to.deep.equal(audit);
      expect(await db('api_key')).to.have.length(1);
    });
  }

  it('leaves a key unchanged if the audit entry of its transition fails', async () => {
    const account = await anAccount(accounts);
    await refuseAll('audit');
    const holding = accounts.change(account.id, (found) =>
      applyOperatorEvent(found, firstKey(found).id, 'held', auditContext()),
    );
    expect(await faultOf(holding)).to.be.instanceOf(Error);
    expect(await accounts.find(account.id)).to.deep.equal(account);
  });

  it('leaves the feed and its history unchanged if the reason of a purge fails', async () => {
    await feed.publish([{ id: 'a', scoredAt: NOON, subMarketIds: [], json: Buffer.from('{}') }], 'live');
    const before = await feed.page(EVERYTHING);
    await refuseAll('purge');
    expect(await faultOf(feed.purge('a', { actor: 'test', reason: 'a test' as Reason }))).to.be.instanceOf(
      Error,
    );
    expect(await feed.page(EVERYTHING)).to.deep.equal(before);
    expect(await db('item_version')).to.deep.equal([]);
  });

  for (const table of ['feed_change', 'item_sub_market']) {
    it(`leaves the feed unchanged when ${table} refuses rows: publication, replacement, retraction`, async () => {
      const item = (id: string): ListedItem => ({
        id,
        scoredAt: NOON,
        subMarketIds: ['m'],
        json: Buffer.from('{}'),
      });
      await feed.publish([item('a'), item('b')], 'live');
      const before = await feed.page(EVERYTHING);
      const listed = await feed.page({ ...EVERYTHING, marketId: 'm' });
      await refuseAll(table);
      expect(await faultOf(feed.publish([item('c')], 'live'))).to.be.instanceOf(Error);
      const again = { ...item('a'), json: Buffer.from('{"again":true}') };
      expect(await faultOf(feed.publish([again], 'live'))).to.be.instanceOf(Error);
      if (table === 'feed_change') expect(await faultOf(feed.retract('a'))).to.be.instanceOf(Error);
      expect(await feed.page(EVERYTHING)).to.deep.equal(before);
      expect(await feed.page({ ...EVERYTHING, marketId: 'm' })).to.deep.equal(listed);
    });
  }
});
