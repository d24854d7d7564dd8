import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresFeedStore } from '../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { PostgresIdentities } from '../../../src/adapters/postgres/sign-in/postgres-identities.js';
import { recordJoin } from '../../../src/domain/sign-in/account-identities.js';
import { auditContext, NOON } from '../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';
import { anAccount, anOpening } from '../../support/service/accounts.js';

const UNSTORABLE = ['zero \0 character', 'half a \ud83d character'];

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'written',
    (fault: unknown) => (fault instanceof TypeError ? fault.message : fault),
  );

describe('A text that Postgres cannot store', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  for (const text of UNSTORABLE) {
    const shown = JSON.stringify(text);

    it(`equals nothing in a statement that only reads: ${shown}`, async () => {
      await db('turn').insert({ work: 'half a \ufffd character' });
      for (const query of [
        db('turn').where({ work: text }).select('work'),
        db('turn').whereIn('work', [text]).select('work'),
        db('turn').where({ work: text }).forUpdate().select('work'),
        db('turn')
          .whereRaw('work = any(?::text[])', [[text]])
          .select('work'),
      ]) {
        expect(await query).to.deep.equal([]);
      }
      expect(await db('turn').where({ work: text }).delete()).to.equal(0);
      expect(await db('turn').delete()).to.equal(1);
    });

    it(`is never written, neither unchanged nor as another text: ${shown}`, async () => {
      const accounts = new PostgresAccounts(db);
      const { id, email } = await anAccount(accounts);
      const writes = [
        db('turn').insert({ work: text }),
        db.raw('with noted as (select 1) insert into turn (work) values (?)', [text]),
        db('account').where({ id }).update({ email: text }),
        accounts.open(anOpening('pro', { email: text })),
        accounts.open(anOpening('pro', { processorCustomerId: text })),
        accounts.change(id, (account) => ({ next: { ...account, email: text }, entries: [] })),
        new PostgresFeedStore(db).publish(
          [{ id: text, subMarketIds: [], scoredAt: NOON, json: Buffer.from('{}') }],
          'live',
        ),
        new PostgresIdentities(db).join({ issuer: text, subject: 'u', joinedAt: NOON }, id, (account) =>
          recordJoin(account, 'id', auditContext()),
        ),
      ];
      // All at once: a write that fails before a handler waits for it would be reported as unhandled.
      for (const fault of await Promise.all(writes.map(faultOf)))
        expect(fault).to.include('Postgres cannot store');
      expect((await accounts.find(id))?.email).to.equal(email);
      expect(await db('turn').select()).to.deep.equal([]);
    });
  }
});
