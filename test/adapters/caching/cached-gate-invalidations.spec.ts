import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import { cachedGateInMemory, issue, MAX_STALE_MS, revoke } from '../../support/copies/far-gate.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';

describe('A cached gate that receives an invalidation during a lookup', () => {
  let { clock, follower, stored, invalidations, accounts, far, gate, status, failure } = cachedGateInMemory();
  beforeEach(() => {
    ({
      clock,
      follower,
      stored,
      invalidations: invalidations,
      accounts,
      far,
      gate,
      status,
      failure,
    } = cachedGateInMemory());
    far.slow = true;
  });

  it('does not cache the answer if the invalidation arrives while the store is called (D39)', async () => {
    far.slow = false;
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    far.whenAsked = () => {
      far.whenAsked = () => {};
      void invalidations.send({ changed: 'account', keys: [hash] });
    };
    expect(await status(hash)).to.equal('active');
    await revoke(stored, account);
    expect(await status(hash)).to.equal('revoked');
  });

  it('does not cache the answer if the invalidation arrives before the store is called (D39)', async () => {
    far.slow = false;
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const lookup = gate.find(hash);
    const revoking = revoke(accounts, account);
    await Promise.all([lookup, revoking]);
    expect(await status(hash)).to.equal('revoked');
  });

  it('does not cache a hash as unknown if its key was issued meanwhile (D39)', async () => {
    const account = await anAccount(accounts, 0);
    const fresh = aFreshKey();
    const lookup = status(fresh.hash);
    const { answer } = await far.question(0);
    await issue(accounts, account, fresh);
    answer();
    expect(await lookup).to.equal(null);
    far.slow = false;
    expect(await status(fresh.hash)).to.equal('active');
  });

  it('does not cache a key as active if it was revoked meanwhile (D39)', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const lookup = status(hash);
    const { answer } = await far.question(0);
    await revoke(accounts, account);
    answer();
    expect(await lookup).to.equal('active');
    far.slow = false;
    expect(await status(hash)).to.equal('revoked');
  });

  it('does not cache a key as active if the log had its revocation meanwhile (D39)', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const lookup = status(hash);
    const { answer } = await far.question(0);
    await revoke(stored, account);
    gate.apply([{ keys: [hash] }]);
    answer();
    expect(await lookup).to.equal('active');
    far.slow = false;
    expect(await status(hash)).to.equal('revoked');
  });

  it('does not cache the answer if all copies are dropped meanwhile (D45)', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const lookup = status(hash);
    const { answer } = await far.question(0);
    await revoke(stored, account);
    gate.apply([{ keys: 'all' }]);
    answer();
    await lookup;
    far.slow = false;
    expect(await status(hash)).to.equal('revoked');
  });

  it('looks up again for later requests, and the old answer overwrites nothing (D39)', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const before = status(hash);
    const first = await far.question(0);
    await revoke(accounts, account);
    const after = status(hash);
    (await far.question(1)).answer();
    expect(await after).to.equal('revoked');
    first.answer();
    expect(await before).to.equal('active');
    expect(await status(hash)).to.equal('revoked');
    expect(far.asked).to.equal(2);
  });

  it('shares one new lookup among later requests, even if the old answer arrives first', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    const before = status(hash);
    const first = await far.question(0);
    await revoke(accounts, account);
    const after = status(hash);
    const second = await far.question(1);
    first.answer();
    await before;
    const more = status(hash);
    second.answer();
    expect(await Promise.all([after, more])).to.deep.equal(['revoked', 'revoked']);
    expect(far.asked).to.equal(2);
  });

  it('does not fall back on the dropped copy, even if it has a newer one by then (D35)', async () => {
    const account = await anAccount(accounts);
    const { hash } = firstKey(account);
    far.slow = false;
    await gate.find(hash);
    follower.decided = 'outdated';
    clock.ms = MAX_STALE_MS;
    far.slow = true;
    const before = failure(hash);
    const first = await far.question(0);
    await revoke(accounts, account);
    const after = status(hash);
    (await far.question(1)).answer();
    expect(await after).to.equal('revoked');
    first.fail();
    const answer = await before;
    if (answer instanceof Unavailable) return;
    expect(answer).to.have.nested.property('answered.key.state.status', 'revoked');
  });
});
