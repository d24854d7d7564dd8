import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import { applyDue } from '../../../src/domain/accounts/account-due.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, editKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyControls } from '../../../src/domain/keys/key-controls.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';
import { anAccount, firstKey } from '../../support/service/accounts.js';
import { moduleBefore, VERSION_BEFORE } from '../../support/versions/version-before.js';

type AccountsBefore = { readonly PostgresAccounts: new (db: Knex) => Accounts };

const EXPIRY = plus(NOON, 30 * DAY);
const CONTROLS: KeyControls = {
  expiresAt: EXPIRY,
  allowlist: ['192.0.2.0/24' as Network],
  limits: { perMinute: 10, perDay: null },
};

describe(`The controls of a key (D72), beside an instance of ${VERSION_BEFORE}`, () => {
  let schema: Schema;
  beforeEach(async () => {
    schema = await freshSchema();
  });
  afterEach(() => schema.close());

  it('stay when that instance writes the account, and their due work is done after the next write of this version', async () => {
    const db = schema.connect();
    const now = new PostgresAccounts(db);
    const Before = (await moduleBefore('adapters/postgres/accounts/postgres-accounts.js')) as AccountsBefore;
    const before = new Before.PostgresAccounts(db);
    const account = await anAccount(now);
    const { id } = account;
    const { id: keyId } = firstKey(account);
    const edited = accepted(
      await now.change(id, (found) =>
        editKey(found, keyId, { label: null, controls: CONTROLS }, PLANS.pro, auditContext()),
      ),
    );
    expect(await now.claimDue(plus(EXPIRY, -7 * DAY), 10)).to.deep.equal([id]);
    for (const event of ['held', 'released'] as const)
      accepted(await before.change(id, (found) => applyOperatorEvent(found, keyId, event, auditContext())));
    expect((await now.find(id))?.keys).to.deep.equal(edited.keys);
    expect(await now.claimDue(EXPIRY, 10)).to.deep.equal([]);
    accepted(await now.change(id, (found) => applyDue(found, NOON)));
    accepted(await now.change(id, (found) => applyOperatorEvent(found, keyId, 'held', auditContext())));
    expect(await now.claimDue(EXPIRY, 10)).to.deep.equal([id]);
    const { next } = applyDue((await now.find(id)) ?? expect.fail('no account'), EXPIRY);
    expect(firstKey(next).state).to.include({ status: 'revoked', cause: 'expiry' });
  });
});
