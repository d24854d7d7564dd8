import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import type { ApiKey } from '../../../src/domain/keys/api-key.js';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import { REVOKED_KEYS_LISTED } from '../../../src/domain/keys/listed-keys.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { changesAfter, hashesIn } from '../../support/copies/logged-changes.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const MORE = 3;
const CONTROLS = { ...NO_CONTROLS, allowlist: ['192.0.2.1' as Network] };

eachAdapter('Accounts and gates', contracts.storedGates, (instance) => {
  /** An account whose keys were replaced one after the other, so that it no longer lists the first ones. */
  async function rotating() {
    const [left, right] = [await instance(), await instance()];
    const { id } = await anAccount(left.accounts, 0, 'free');
    const all: ApiKey[] = [];
    let account: Account | undefined;
    for (let n = 0; n <= REVOKED_KEYS_LISTED + MORE; n += 1) {
      const [fresh, context] = [aFreshKey(), auditContext(plus(NOON, 2 * n * HOUR))];
      const labelled = { ...fresh, prefix: `svc_closed${n}`, label: 'of Ada' as ApiKey['label'] };
      account = accepted(
        await left.accounts.change(id, (found) => issueKey(found, labelled, PLANS.free, context, CONTROLS)),
      );
      all.push(account.keys.at(-1) ?? expect.fail('no key'));
      if (n < REVOKED_KEYS_LISTED + MORE)
        await left.accounts.change(id, (found) => revokeKey(found, fresh.id, 'manual', context));
    }
    return { left, right, id, all, account: account ?? expect.fail('no account') };
  }

  it('list the last 20 revoked keys, and find the closed ones in their final state', async () => {
    const { left, right, id, all, account } = await rotating();
    expect(account.keys.map((key) => key.id)).to.deep.equal(all.slice(MORE).map((key) => key.id));
    expect(account.closedKeys).to.equal(MORE);
    expect(await right.accounts.find(id)).to.deep.equal(account);
    for (const [n, key] of all.entries()) {
      const { entry } = await right.gate.snapshot(key.hash);
      const isLast = n === all.length - 1;
      expect(entry?.key).to.include({ id: key.id });
      expect(entry?.key.state.status).to.equal(isLast ? 'active' : 'revoked');
      expect(entry?.subscription).to.deep.equal(account.subscription);
    }
    const first = all[0] ?? expect.fail('no key');
    const shown = await right.accounts.findByKey(first.id);
    expect(shown?.keys.map((key) => key.id)).to.deep.equal([first.id, ...account.keys.map((key) => key.id)]);
    // A closed key has no personal data.
    expect(shown?.keys[0]).to.deep.include({ label: null, controls: NO_CONTROLS });
    expect((await right.accounts.findByKeyPrefix(first.prefix)).map((found) => found.id)).to.include(id);
    expect(await left.accounts.findByKey(account.keys[0]?.id ?? first.id)).to.deep.equal(account);
  });

  it('name only the changed keys in the log', async () => {
    const { left, right, id, account } = await rotating();
    const start = await right.logs.newest();
    const { id: last, hash } = account.keys.at(-1) ?? expect.fail('no key');
    await left.accounts.change(id, (found) =>
      revokeKey(found, last, 'manual', auditContext(plus(NOON, 1_000 * HOUR))),
    );
    expect(hashesIn(await changesAfter(right.logs, start))).to.deep.equal([[hash]]);
  });
});
