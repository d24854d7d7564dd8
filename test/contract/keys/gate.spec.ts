import { expect } from 'chai';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, editKey, issueKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import { type KeyControls, NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const CONTROLS: KeyControls = {
  expiresAt: plus(NOON, DAY),
  allowlist: ['192.0.2.0/24', '2001:db8::1'] as Network[],
  limits: { perMinute: 10, perDay: null },
};

eachAdapter('Gate', contracts.gates, (instance, caughtUp) => {
  it('finds a key by its hash, with the data for admission, on every instance', async () => {
    const [left, right] = [await instance(), await instance()];
    const account = await anAccount(left.accounts, 2);
    for (const { id, hash, scopes, state } of account.keys) {
      const entry = { key: { id, state, scopes, controls: null }, subscription: account.subscription };
      expect(await right.gate.find(hash)).to.deep.equal(entry);
      expect(await left.gate.find(hash)).to.deep.equal(entry);
    }
  });

  it('returns null for a hash that no key has', async () => {
    const { gate } = await instance();
    expect(await gate.find('nobody' as KeyHash)).to.equal(null);
  });

  it('finds a key as soon as it is issued, even if it was looked up before', async () => {
    const [left, right] = [await instance(), await instance()];
    const { id } = await anAccount(left.accounts, 0);
    const fresh = aFreshKey();
    expect(await right.gate.find(fresh.hash)).to.equal(null);
    await left.accounts.change(id, (found) => issueKey(found, fresh, PLANS.pro, auditContext()));
    await caughtUp();
    expect((await right.gate.find(fresh.hash))?.key.id).to.equal(fresh.id);
  });

  it('shows a hold on the key or its subscription, and a revocation, in the next look-up (D39)', async () => {
    const [left, right] = [await instance(), await instance()];
    const account = await anAccount(left.accounts);
    const { id, hash } = firstKey(account);
    const seen = async () => {
      await caughtUp();
      return right.gate.find(hash);
    };
    await seen();

    await left.accounts.change(account.id, (found) => applyOperatorEvent(found, id, 'held', auditContext()));
    expect((await seen())?.key.state).to.deep.equal({ status: 'suspended', causes: ['manual_hold'] });

    await left.accounts.change(account.id, (found) =>
      applyToSubscription(found, 'abuse_detected', auditContext()),
    );
    expect((await seen())?.subscription.suspension).to.deep.equal({ status: 'suspended', causes: ['abuse'] });

    accepted(
      await left.accounts.change(account.id, (found) => revokeKey(found, id, 'manual', auditContext())),
    );
    expect((await seen())?.key.state).to.include({ status: 'revoked', revokedAt: NOON, worksUntil: NOON });
  });

  it('shows the controls of a key in the next look-up (D72, D39)', async () => {
    const [left, right] = [await instance(), await instance()];
    const account = await anAccount(left.accounts, 2);
    const { id, hash } = firstKey(account);
    const other = account.keys[1]?.hash as KeyHash;
    const seen = async (of: KeyHash) => {
      await caughtUp();
      return (await right.gate.find(of))?.key.controls;
    };
    const edit = async (controls: KeyControls) =>
      accepted(
        await left.accounts.change(account.id, (found) =>
          editKey(found, id, { label: null, controls }, PLANS.pro, auditContext()),
        ),
      );
    expect(await seen(hash)).to.equal(null);
    await edit(CONTROLS);
    expect(await seen(hash)).to.deep.equal(CONTROLS);
    expect(await seen(other)).to.equal(null);
    const some = { ...CONTROLS, expiresAt: null, limits: { perMinute: null, perDay: 5 } };
    await edit(some);
    expect(await seen(hash)).to.deep.equal(some);
    await edit(NO_CONTROLS);
    expect(await seen(hash)).to.equal(null);
  });

  it('shows the last of several changes during many look-ups, on every instance (D39)', async () => {
    const [left, right] = [await instance(), await instance()];
    for (let round = 0; round < 20; round += 1) {
      const account = await anAccount(left.accounts);
      const { id, hash } = firstKey(account);
      const asking = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? left : right).gate.find(hash));
      const holding = right.accounts.change(account.id, (found) =>
        applyOperatorEvent(found, id, 'held', auditContext()),
      );
      const more = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? left : right).gate.find(hash));
      await Promise.all([...asking, holding, ...more]);
      await caughtUp();
      for (const { gate } of [left, right]) {
        expect((await gate.find(hash))?.key.state.status).to.equal('suspended');
      }
    }
  });
});
