import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresKeyUses } from '../../../../src/adapters/postgres/keys/postgres-key-uses.js';
import { PostgresChangeLogs } from '../../../../src/adapters/postgres/postgres-change-logs.js';
import type { KeyId } from '../../../../src/domain/keys/api-key.js';
import { DAY, plus } from '../../../../src/domain/moment.js';
import { type Changes, hashesIn, logReader } from '../../../support/copies/logged-changes.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { anAccount } from '../../../support/service/accounts.js';
import { until } from '../../../support/until.js';

/** Accounts are written with plain SQL, as an operator or another version may write them. */
describe('The log of accounts', () => {
  let schema: Schema;
  let db: Knex;
  let logs: PostgresChangeLogs;
  let read: () => Promise<Changes>;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
    logs = new PostgresChangeLogs(schema.url);
    for (const name of ['a', 'b', 'c']) {
      await insertAccount(name);
      await insertKey(name, name);
    }
    read = await logReader(logs);
  });
  afterEach(async () => {
    await logs.close();
    await schema.close();
  });

  const insertAccount = (name: string, into: Knex = db) =>
    into('account').insert({ id: name, email: `${name}@example.org`, body: bodyOf({}) });
  const insertKey = (name: string, account: string, into: Knex = db) =>
    into('api_key').insert({ id: `key ${name}`, hash: `hash ${name}`, account_id: account });
  const bodyOf = (more: object) => JSON.stringify({ keys: [], subscription: { plan: 'pro' }, ...more });
  const change = (name: string, into: Knex = db) =>
    into('account')
      .where({ id: name })
      .update({ body: bodyOf({ keys: [{ hash: `hash ${name}`, label: `${Math.random()}` }] }) });
  /** The hashes of each change since the last call. */
  const logged = async () => hashesIn(await read());
  /** The deferred triggers log now, and no longer when the transaction commits. */
  const logNow = (tx: Knex) => tx.raw('set constraints all immediate');
  const numbers = (): Promise<readonly number[]> => db('account_change').orderBy('n').pluck('n');

  it('has the changes of transactions that end in another order than they began (T16)', async () => {
    const [first, second] = [await db.transaction(), await db.transaction()];
    await change('a', first);
    await change('b', second);
    expect(await logged()).to.deep.equal([]);
    await second.commit();
    expect(await logged()).to.deep.equal([['hash b']]);
    await first.commit();
    expect(await logged()).to.deep.equal([['hash a']]);
  });

  it('has every change, even if a transaction stays open after it has taken its number (T16)', async () => {
    const first = await db.transaction();
    await change('a', first);
    await logNow(first);
    let isOver = false;
    const second = change('b').then(() => {
      isOver = true;
    });
    await until(true, async () => isOver || (await locksWaitedFor()) > 0);
    const during = await logged();
    await first.commit();
    await second;
    expect([...during, ...(await logged())]).to.deep.equal([['hash a'], ['hash b']]);
  });

  const locksWaitedFor = async (): Promise<number> =>
    (await db.raw<{ rowCount: number }>('select from pg_locks where not granted')).rowCount;

  it('has nothing of a transaction that is rolled back, and the next one takes its number (T16)', async () => {
    const before = await numbers();
    const tx = await db.transaction();
    await change('a', tx);
    await logNow(tx);
    await tx.rollback();
    await change('b');
    expect(await logged()).to.deep.equal([['hash b']]);
    expect(await numbers()).to.deep.equal([...before, before.length]);
  });

  it('has what is left after a savepoint is rolled back', async () => {
    await db.transaction(async (tx) => {
      await change('a', tx);
      await tx
        .transaction(async (inner) => {
          await change('b', inner);
          throw new Error('undo');
        })
        .catch(() => {});
      await tx.transaction((inner) => change('c', inner));
    });
    expect(await logged()).to.deep.equal([['hash a'], ['hash c']]);
  });

  it('has a row for each key that one transaction adds, and one for a repeated change of an account', async () => {
    await db.transaction(async (tx) => {
      for (const name of ['a', 'b', 'a']) await change(name, tx);
      for (const name of ['a2', 'a3']) await insertKey(name, 'a', tx);
    });
    expect(await logged()).to.deep.equal([['hash a'], ['hash b'], ['hash a2'], ['hash a3']]);
    expect(await numbers()).to.deep.equal((await numbers()).map((_, i) => i));
  });

  // biome-ignore format: a table is read by its columns
  const statements: readonly (readonly [what: string, sql: string, hashes: readonly (readonly string[])[]])[] = [
    ['a new account',                   "insert into account (id, email, body) values ('d', 'd', '{}')",             [[]]],
    ['a new key',                       "insert into api_key (id, hash, account_id) values ('new', 'new', 'a')",     [['new']]],
    ['changed keys',                    `update account set body = '{"keys":[{"hash":"x","n":1},{"hash":"y"}],"subscription":{"plan":"pro"}}' where id = 'a'`, [['x', 'y']]],
    ['a changed key and a removed one', `update account set body = '{"keys":[{"hash":"x","n":2},{"hash":"z"}],"subscription":1}' where id = 'b';
                                         update account set body = '{"keys":[{"hash":"x","n":3}],"subscription":1}' where id = 'b'`, [['hash b'], ['x', 'z']]],
    ['a changed subscription',          `update account set body = '{"keys":[],"subscription":1}' where id = 'a'`,   [['hash a']]],
    ['no change of an email address',   "update account set body = body, email = 'x' where id = 'a'",                []],
    ['no change of other fields',       `update account set body = '{"keys":[],"subscription":{"plan":"pro"},"payments":1}' where id = 'a'`,  []],
    ['no change of a claim',            "update account set claimed_until = now(), due_at = now()",                  []],
    ['no change of a last use',         "update api_key set last_used_at = now(), prefix = 'x'",                     []],
    ['a deleted key, with its hash',    "delete from api_key where id = 'key a'",                                    [['hash a']]],
    ['a replaced hash, with both',      "update api_key set hash = 'other' where id = 'key a'",                      [['hash a'], ['other']]],
    ['a moved key, for both accounts',  "update api_key set account_id = 'b' where id = 'key a'",                    [['hash a'], ['hash a']]],
    ['a deleted account with its keys', "delete from api_key where account_id = 'a'; delete from account where id = 'a'", [['hash a']]],
  ];
  for (const [what, sql, hashes] of statements) {
    it(`has ${what}, written with SQL`, async () => {
      await db.raw(sql);
      expect(await logged()).to.deep.equal(hashes);
    });
  }

  it('has every hash of several keys that one transaction deletes', async () => {
    for (const name of ['a2', 'a3']) await insertKey(name, 'a');
    await logged();
    await db.transaction(async (tx) => {
      await tx('api_key').where({ account_id: 'a' }).delete();
      await tx('account').where({ id: 'a' }).delete();
    });
    expect(new Set((await logged()).flat())).to.deep.equal(new Set(['hash a', 'hash a2', 'hash a3']));
  });

  it('counts a body that Postgres cannot take apart as changed', async () => {
    const body = bodyOf({ payments: '\0' });
    await db('account').where({ id: 'a' }).update({ body });
    expect(await logged()).to.deep.equal([['hash a']]);
    await db('account').where({ id: 'a' }).update({ body });
    expect(await logged()).to.deep.equal([['hash a']]);
  });

  it('says that any account may have changed if a row has no account', async () => {
    await db.raw("insert into account_change (n, hashes) select max(n) + 1, '{}' from account_change");
    await change('a');
    expect(await logged()).to.deep.equal(['all', ['hash a']]);
  });

  it('has no change because of 5 000 last uses and 1 000 claims of due work', async () => {
    await db.transaction(async (tx) => {
      await tx.raw('alter table api_key disable trigger api_key_logged');
      await tx.raw(
        "insert into api_key (id, hash, account_id) select 'used ' || n, n, 'a' from generate_series(1, 5000) n",
      );
      await tx.raw('alter table api_key enable trigger api_key_logged');
      await tx.raw(
        `insert into account (id, email, body, due_at)
         select 'due ' || n, n, '{}', ?::timestamptz from generate_series(1, 1000) n`,
        [NOON],
      );
    });
    for (let found = await read(); !found.isComplete; ) found = await read();
    const keyUses = new PostgresKeyUses(db);
    for (let n = 1; n <= 5_000; n += 1) keyUses.note(`used ${n}` as KeyId, plus(NOON, DAY));
    await keyUses.close();
    expect(await new PostgresAccounts(db).claimDue(NOON, 1_000)).to.have.length(1_000);
    expect(await db('api_key').whereNotNull('last_used_at').count()).to.deep.equal([{ count: 5_000 }]);
    expect(await logged()).to.deep.equal([]);
  });

  it('has the changes of the service, with the hashes of the keys that they concern', async () => {
    const account = await anAccount(new PostgresAccounts(db), 2);
    const [one, other] = account.keys.map(({ hash }) => hash);
    expect(await logged()).to.deep.equal([[], [one], [other]]);
  });
});
