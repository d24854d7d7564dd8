import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import {
  cachedGateInMemory,
  FRESH,
  issue,
  MAX_STALE,
  revoke,
  UNKNOWN_FRESH,
} from '../../support/objects/far-gate.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';

describe('A cached gate', () => {
  let { clock, stored, accounts, far, gate, away, status, failure } = cachedGateInMemory();
  beforeEach(() => {
    ({ clock, stored, accounts, far, gate, away, status, failure } = cachedGateInMemory());
  });

  describe('while the store answers', () => {
    it('asks it once for a key that is used again within 5 s, and again after that (D39)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      clock.at = plus(NOON, FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.deep.equal(first);
      expect(far.asked).to.equal(1);
      clock.at = plus(NOON, FRESH);
      expect(await gate.find(hash)).to.deep.equal(first);
      expect(far.asked).to.equal(2);
    });

    it('asks it once in 5 s for a hash that no key has (D33)', async () => {
      const { hash } = aFreshKey();
      for (let i = 0; i < 5; i += 1) expect(await gate.find(hash)).to.equal(null);
      clock.at = plus(NOON, UNKNOWN_FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.equal(null);
      expect(far.asked).to.equal(1);
      clock.at = plus(NOON, UNKNOWN_FRESH);
      expect(await gate.find(hash)).to.equal(null);
      expect(far.asked).to.equal(2);
    });

    it('asks it once for a hundred requests at once with one key', async () => {
      const { hash, id } = firstKey(await anAccount(accounts));
      const entries = await Promise.all(Array.from({ length: 100 }, () => gate.find(hash)));
      expect(entries.map((entry) => entry?.key.id)).to.deep.equal(Array(100).fill(id));
      expect(far.asked).to.equal(1);
    });

    it('drops every key that a hint names, and no other (D39)', async () => {
      const [account, other] = [await anAccount(accounts, 2), await anAccount(accounts)];
      const hashes = account.keys.map(({ hash }) => hash);
      for (const hash of [...hashes, firstKey(other).hash]) await gate.find(hash);
      await revoke(accounts, account);
      expect(far.asked).to.equal(3);
      expect(await Promise.all(hashes.map(status))).to.deep.equal(['revoked', 'active']);
      expect(far.asked).to.equal(5);
      await gate.find(firstKey(other).hash);
      expect(far.asked).to.equal(5);
    });

    it('finds a key at once that was unknown before its hint (D39)', async () => {
      const account = await anAccount(accounts, 0);
      const fresh = aFreshKey();
      expect(await status(fresh.hash)).to.equal(null);
      await issue(accounts, account, fresh);
      expect(await status(fresh.hash)).to.equal('active');
    });

    it('sees within 5 s a change whose hint was lost (D39)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      const fresh = aFreshKey();
      expect([await status(hash), await status(fresh.hash)]).to.deep.equal(['active', null]);
      await revoke(stored, account);
      await issue(stored, account, fresh);
      clock.at = plus(NOON, UNKNOWN_FRESH);
      expect([await status(hash), await status(fresh.hash)]).to.deep.equal(['revoked', 'active']);
    });

    it('counts the age of a copy from when it was asked for, not from when the answer came (D39)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      far.slow = true;
      const asking = status(hash);
      const { answer } = await far.question(0);
      await revoke(stored, account);
      clock.at = plus(NOON, FRESH - MICROSECOND);
      answer();
      expect(await asking).to.equal('active');
      far.slow = false;
      clock.at = plus(NOON, FRESH);
      expect(await status(hash)).to.equal('revoked');
    });

    it('does not let guesses push out a key that exists, and forgets the oldest guess (D33)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      await gate.find(hash);
      const guesses = Array.from({ length: 10_001 }, (_, i) => `guess ${i}` as KeyHash);
      for (const guess of guesses) await gate.find(guess);
      expect(far.asked).to.equal(10_002);
      await gate.find(hash);
      await gate.find('guess 10000' as KeyHash);
      expect(far.asked).to.equal(10_002);
      await gate.find('guess 0' as KeyHash);
      expect(far.asked).to.equal(10_003);
    });
  });

  describe('while the store is away', () => {
    it('goes on with the copy it has for less than `maxStale`, then says so (D35)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      away();
      clock.at = plus(NOON, MAX_STALE - MICROSECOND);
      expect(await gate.find(hash)).to.deep.equal(first);
      clock.at = plus(NOON, MAX_STALE);
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('tries the store again with each use of an old copy, and has the news when it is back', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      away();
      clock.at = plus(NOON, MINUTE);
      expect(await status(hash)).to.equal('active');
      await revoke(stored, account);
      far.fault = null;
      expect(await status(hash)).to.equal('revoked');
    });

    it('does not make a copy younger by using it (D35)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      await gate.find(hash);
      away();
      for (const age of [MINUTE, 5 * MINUTE, MAX_STALE - MICROSECOND]) {
        clock.at = plus(NOON, age);
        expect(await status(hash)).to.equal('active');
      }
      clock.at = plus(NOON, MAX_STALE);
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('never says that a key does not exist: it cannot know (D35)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      away();
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
      expect(await failure(aFreshKey().hash)).to.be.instanceOf(Unavailable);
    });

    it('says no longer than 5 s that a hash is unknown (D33, D35)', async () => {
      const { hash } = aFreshKey();
      await gate.find(hash);
      away();
      clock.at = plus(NOON, UNKNOWN_FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.equal(null);
      clock.at = plus(NOON, UNKNOWN_FRESH);
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('does not serve a copy that a hint has dropped, before the question or during it (D35)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      clock.at = plus(NOON, FRESH);
      far.slow = true;
      const asking = failure(hash);
      const { fail } = await far.question(0);
      await revoke(accounts, account);
      fail();
      expect(await asking).to.be.instanceOf(Unavailable);
      away();
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('asks again after a failure, for all who waited for it failed', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      far.slow = true;
      const asking = Promise.all([failure(hash), failure(hash)]);
      (await far.question(0)).fail();
      for (const fault of await asking) expect(fault).to.be.instanceOf(Unavailable);
      expect(far.asked).to.equal(1);
      far.slow = false;
      expect(await status(hash)).to.equal('active');
    });
  });

  it('hides no bug behind a copy', async () => {
    const { hash } = firstKey(await anAccount(accounts));
    await gate.find(hash);
    clock.at = plus(NOON, FRESH);
    far.fault = new Error('bug in a query');
    expect(await failure(hash)).to.equal(far.fault);
  });
});
