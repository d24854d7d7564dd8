import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { Instances } from '../../../../src/adapters/postgres/instances.js';
import { postgresStores } from '../../../../src/adapters/postgres/postgres-stores.js';
import { PostgresTestClock } from '../../../../src/adapters/postgres/postgres-test-clock.js';
import { applyPaymentEvent } from '../../../../src/application/billing/apply-payment-event.js';
import { storedLink } from '../../../../src/application/billing/event-outcome.js';
import { linkCustomer } from '../../../../src/domain/billing/account-customer.js';
import { DAY, HOUR, MINUTE, plus } from '../../../../src/domain/moment.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { accepted, auditContext, keyId, NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { anOpening } from '../../../support/service/accounts.js';
import {
  FLOW,
  HOLDERS,
  hash,
  ITEM_JSON,
  KEYS,
  LINK,
  LINKED,
  minutes,
  RULES,
  type Stores,
  sessionOf,
} from '../../../support/versions/stored-objects.js';
import {
  insertRowsBefore,
  rowsBefore,
  rowsOf,
  STORED_TABLES,
} from '../../../support/versions/stored-rows.js';
import { viewsOf } from '../../../support/versions/stored-views.js';
import { VERSION_BEFORE } from '../../../support/versions/version-before.js';

const VIEWS = resolve(import.meta.dirname, `../../../../../test/fixtures/views-${VERSION_BEFORE}.json`);

/** What the previous version does not know of a key (D72). */
const NO_CONTROLS = {
  ...{ expires_at: null, allowed_addresses: [], requests_per_minute: null, requests_per_day: null },
};

/** Inserts the rows of `test/fixtures` with SQL. The adapters must read them like rows of this version. */
describe(`Rows that ${VERSION_BEFORE} wrote`, () => {
  let schema: Schema;
  let db: Knex;
  let stores: Stores;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
    stores = postgresStores(db);
    await insertRowsBefore(db);
  });
  afterEach(async () => {
    await Promise.all([stores.usage.close(), stores.keyUses.close()]);
    await schema.close();
  });

  it('are stored exactly as in the fixtures', async () => {
    for (const table of STORED_TABLES)
      expect(await rowsOf(db, table), table).to.deep.equal(rowsBefore(table));
  });

  it('lead to the same accounts, keys, audit logs, access and emails, also five days later', async () => {
    const expected = JSON.parse(readFileSync(VIEWS, 'utf8'));
    // The previous version ends an overlap although the successor is unused (D23).
    for (const key of expected.now[KEYS].keys) key.overlap_ends_at = null;
    for (const { keys } of Object.values<{ keys: object[] }>(expected.now))
      for (const key of keys) Object.assign(key, NO_CONTROLS);
    expect(await viewsOf(stores)).to.deep.equal(expected);
  });

  it('are found by email address, key id and key prefix', async () => {
    const { accounts } = stores;
    expect((await accounts.findByEmail('Keys@example.org'))?.id).to.equal(KEYS);
    expect((await accounts.findByKey(keyId('successor')))?.id).to.equal(KEYS);
    expect((await accounts.findByKeyPrefix('svc_successor')).map(({ id }) => id)).to.deep.equal([KEYS]);
    expect(await accounts.claimDue(plus(NOON, DAY + HOUR), 10)).to.include(KEYS);
  });

  it('contain payment events that can be listed, linked and applied', async () => {
    const { inbox, accounts } = stores;
    const states = async (state: 'applied' | 'waiting' | 'failed' | 'ignored') =>
      (await inbox.list({ state }, 100)).map(({ id }) => id).sort();
    expect(await states('waiting')).to.deep.equal(['evt_10']);
    expect(await states('failed')).to.deep.equal(['evt_11', 'evt_12']);
    expect(await states('ignored')).to.deep.equal(['evt_13']);
    expect((await inbox.list({ account: LINKED }, 100)).map(({ id }) => id)).to.deep.equal(['evt_09']);
    const linked = await inbox.find('evt_09');
    expect(linked && storedLink(linked)).to.deep.equal({ account: LINKED, refusal: null });
    expect((await inbox.find('evt_11'))?.fault).to.include('had expired');

    const { id } = accepted(await accounts.open(anOpening('pro')));
    accepted(await accounts.change(id, (found) => linkCustomer(found, 'cus_nobody', auditContext())));
    const [waiting, ...others] = await inbox.linked('cus_nobody', 10);
    if (waiting === undefined) throw new Error('no event waits');
    expect(others).to.deep.equal([]);
    expect(waiting.payload).to.deep.equal(Buffer.from([0x7b, 0x00, 0xff, 0x7d]));
    const event = { ...waiting, link: storedLink(waiting) };
    const receipt = await inbox.replay(event, minutes(9), applyPaymentEvent(RULES, minutes(9)));
    expect([receipt?.state, receipt?.account?.subscription.state]).to.deep.equal(['applied', 'paused']);
  });

  it('contain readable one-time tokens, sessions and identities', async () => {
    const { oneTimeTokens, sessions, identities } = stores;
    expect(await oneTimeTokens.find(hash('a link'))).to.deep.equal(LINK);
    expect(await oneTimeTokens.take(hash('a flow'))).to.deep.equal(FLOW);
    await oneTimeTokens.removeLinks('ada@example.org');
    expect(await oneTimeTokens.find(hash('a link'))).to.equal(null);
    for (const [n, holder] of HOLDERS.entries()) {
      const session = { ...sessionOf(holder), ...(n === 0 && { seenAt: minutes(9) }) };
      expect(await sessions.find(hash(`session ${n}`))).to.deep.equal(session);
      await sessions.endAll(holder);
      expect(await sessions.find(hash(`session ${n}`))).to.equal(null);
    }
    const identity = { issuer: 'https://id.example', subject: 'ada' };
    expect(await identities.accountOf(identity)).to.equal(KEYS);
    expect(await identities.of(KEYS)).to.deep.equal([{ ...identity, joinedAt: minutes(8) }]);
  });

  it('contain readable leases, usage, last uses, items and the test clock', async () => {
    const { leases, usage, keyUses } = stores;
    expect(await leases.acquire('a work', minutes(14), false)).to.equal(null);
    const lease = await leases.acquire('a work', minutes(15), false);
    expect(lease).to.include({ job: 'a work', checkpoint: minutes(-5) });
    const counts = await usage.of([keyId('keys')], NOON);
    expect(Object.fromEntries(counts.map((count) => [count.statusClass, count.requests]))).to.deep.equal({
      ...{ '2xx': 2, '3xx': 1, '4xx': 1, '5xx': 1 },
    });
    expect([...(await keyUses.of([keyId('keys')]))]).to.deep.equal([
      ['keys', { firstAt: minutes(9), lastAt: minutes(9) }],
    ]);
    const range = { before: null, since: null, newsId: null, marketId: 'sm_1', terms: [], count: 9 };
    const { items, head } = await postgresFeed(db).page(range);
    expect(items.map(({ id }) => id)).to.deep.equal(['ne_1', 'ne_0']);
    expect([head, items[0]?.json]).to.deep.equal([minutes(2), ITEM_JSON]);
    const instances = new Instances(db, () => {});
    const clock = new PostgresTestClock(db, instances, () => NOON);
    await clock.start();
    expect(clock.now()).to.equal(plus(NOON, 60 * MINUTE));
    await clock.close();
  });
});
