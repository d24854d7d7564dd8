import { expect } from 'chai';
import { PostgresAccounts } from '../../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { PostgresChangeLogs } from '../../../../src/adapters/postgres/postgres-change-logs.js';
import type { Account } from '../../../../src/domain/accounts/account.js';
import { type Changes, hashesIn, logReader } from '../../../support/copies/logged-changes.js';
import { accepted, NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { anAccount, firstKey } from '../../../support/service/accounts.js';

const CHANGES = 1_000;
const WRITERS = 20;
const BATCH = 10;

describe('The change logs, under concurrent writers', () => {
  let schema: Schema;
  let logs: PostgresChangeLogs;
  beforeEach(async () => {
    schema = await freshSchema();
    logs = new PostgresChangeLogs(schema.url);
  });
  afterEach(async () => {
    await logs.close();
    await schema.close();
  });

  /** Makes a share of the changes of accounts and of the feed, in batches of `BATCH` items. */
  async function write(account: Account, accounts: PostgresAccounts, feed: PostgresFeedStore): Promise<void> {
    for (let i = 0; i < CHANGES / WRITERS; i += 1) {
      const plan = i % 2 === 0 ? 'free' : 'pro';
      const changed = accounts.change(account.id, (found) => ({
        next: { ...found, subscription: { ...found.subscription, plan } },
        entries: [],
      }));
      if (i % BATCH === 0) await feed.publish(itemsOf(account, i), 'live');
      accepted(await changed);
    }
  }
  /** `text`: without another one, a publication is no change (D11). */
  const itemsOf = ({ id }: Account, text: number) =>
    Array.from({ length: BATCH }, (_, i) => ({
      ...{ id: `${id} ${i}`, scoredAt: NOON, json: Buffer.from(JSON.stringify({ text })), subMarketIds: [] },
    }));

  it('give a polling reader each of 1 000 changes of accounts and of the feed once, without a gap (T16)', async () => {
    const stores = [1, 2].map(() => {
      const db = schema.connect();
      return { accounts: new PostgresAccounts(db), feed: new PostgresFeedStore(db, 60_000) };
    });
    const [one] = stores;
    if (one === undefined) throw new Error('there are two instances');
    const accounts = await Promise.all(Array.from({ length: WRITERS }, () => anAccount(one.accounts)));
    const read = await logReader(logs);
    const found: Changes[] = [];
    let isOver = false;
    const writing = Promise.all(
      accounts.map((account, i) => {
        const { accounts: into, feed } = stores[i % 2] ?? one;
        return write(account, into, feed);
      }),
    ).finally(() => {
      isOver = true;
    });
    while (!isOver) found.push(await read());
    await writing;
    found.push(await read());

    expect(found.filter((changes) => changes.accounts.length > 0).length).to.be.greaterThan(10);
    const times = new Map<string, number>();
    for (const [hash = ''] of found.flatMap(hashesIn)) times.set(hash, (times.get(hash) ?? 0) + 1);
    const expected = accounts.map((account): [string, number] => [firstKey(account).hash, CHANGES / WRITERS]);
    expect(times).to.deep.equal(new Map(expected));
    const feed = found.flatMap((changes) => changes.feed);
    const [first] = feed;
    const start = first === undefined ? 0 : first.position.n;
    expect(feed.map(({ position }) => position.n - start)).to.deep.equal(
      Array.from({ length: CHANGES }, (_, i) => i),
    );
    const { rows } = await schema
      .connect(1)
      .raw('select count(*) as rows, max(n) - min(n) + 1 as numbers from account_change');
    expect(rows[0].rows).to.equal(rows[0].numbers);
    expect(found.at(-1)?.positions).to.deep.equal(await logs.newest());
  });
});
