import { expect } from 'chai';
import { applyOperatorEvent } from '../../../src/domain/keys/account-keys.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { accepted, auditContext } from '../../support/objects/builders.js';
import { anAccount, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const ROUNDS = 20;

eachAdapter('StoredGate', contracts.storedGates, (instance) => {
  it('returns what `find` returns, with the position of the newest change of accounts', async () => {
    const [left, right] = [await instance(), await instance()];
    const { hash } = firstKey(await anAccount(left.accounts));
    const { accounts: position } = await left.logs.newest();
    const entry = await right.gate.find(hash);
    expect(entry).not.to.equal(null);
    expect(await right.gate.snapshot(hash)).to.deep.equal({ entry, position });
    const unknown = await right.gate.snapshot('nobody' as KeyHash);
    expect(unknown).to.deep.equal({ entry: null, position });
  });

  it('returns an entry with every change up to its position, and with none after it', async () => {
    const [left, right] = [await instance(), await instance()];
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(left.accounts);
      const { id, hash } = firstKey(account);
      const before = (await left.logs.newest()).accounts.n;
      const holding = left.accounts.change(account.id, (found) =>
        applyOperatorEvent(found, id, 'held', auditContext()),
      );
      const snapshots = [];
      for (let i = 0; i < 10; i += 1) snapshots.push(await right.gate.snapshot(hash));
      accepted(await holding);
      snapshots.push(await right.gate.snapshot(hash));
      for (const { entry, position } of snapshots) {
        const isHeld = position.n > before;
        expect(entry?.key.state.status).to.equal(isHeld ? 'suspended' : 'active');
      }
    }
  });
});
