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
    it('looks a key up once in 5 s (D39)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      clock.at = plus(NOON, FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.deep.equal(first);
      expect(far.asked).to.equal(1);
      clock.at = plus(NOON, FRESH);
      expect(await gate.find(hash)).to.deep.equal(first);
      expect(far.asked).to.equal(2);
    });

    it('looks an unknown hash up once in 5 s (D33)', async () => {
      const { hash } = aFreshKey();
      for (let i = 0; i < 5; i += 1) expect(await gate.find(hash)).to.equal(null);
      clock.at = plus(NOON, UNKNOWN_FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.equal(null);
      expect(far.asked).to.equal(1);
      clock.at = plus(NOON, UNKNOWN_FRESH);
      expect(await gate.find(hash)).to.equal(null);
      expect(far.asked).to.equal(2);
    });

    it('shares one lookup among 100 concurrent requests with the same key', async () => {
      const { hash, id } = firstKey(await anAccount(accounts));
      const entries = await Promise.all(Array.from({ length: 100 }, () => gate.find(hash)));
      expect(entries.map((entry) => entry?.key.id)).to.deep.equal(Array(100).fill(id));
      expect(far.asked).to.equal(1);
    });

    it('drops every key that an invalidation names, and no other (D39)', async () => {
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

    it('finds a new key at once after its invalidation, even if its hash was cached as unknown (D39)', async () => {
      const account = await anAccount(accounts, 0);
      const fresh = aFreshKey();
      expect(await status(fresh.hash)).to.equal(null);
      await issue(accounts, account, fresh);
      expect(await status(fresh.hash)).to.equal('active');
    });

    it('sees a change within 5 s if its invalidation was lost (D39)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      const fresh = aFreshKey();
      expect([await status(hash), await status(fresh.hash)]).to.deep.equal(['active', null]);
      await revoke(stored, account);
      await issue(stored, account, fresh);
      clock.at = plus(NOON, UNKNOWN_FRESH);
      expect([await status(hash), await status(fresh.hash)]).to.deep.equal(['revoked', 'active']);
    });

    it('measures the age of a copy from the start of the lookup, not from the answer (D39)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      far.slow = true;
      const lookup = status(hash);
      const { answer } = await far.question(0);
      await revoke(stored, account);
      clock.at = plus(NOON, FRESH - MICROSECOND);
      answer();
      expect(await lookup).to.equal('active');
      far.slow = false;
      clock.at = plus(NOON, FRESH);
      expect(await status(hash)).to.equal('revoked');
    });

    it('does not evict an existing key because of guesses, but evicts the oldest guess (D33)', async () => {
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

  describe('while the store is unavailable', () => {
    it('uses its copy up to the age `maxStale`, then throws `Unavailable` (D35)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      away();
      clock.at = plus(NOON, MAX_STALE - MICROSECOND);
      expect(await gate.find(hash)).to.deep.equal(first);
      clock.at = plus(NOON, MAX_STALE);
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('retries the store at each use of an old copy, and sees changes when it answers again', async () => {
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

    it('does not renew the age of a copy by its use (D35)', async () => {
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

    it('never reports a key as unknown, because it cannot know (D35)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      away();
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
      expect(await failure(aFreshKey().hash)).to.be.instanceOf(Unavailable);
    });

    it('reports a hash that is cached as unknown for at most 5 s (D33, D35)', async () => {
      const { hash } = aFreshKey();
      await gate.find(hash);
      away();
      clock.at = plus(NOON, UNKNOWN_FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.equal(null);
      clock.at = plus(NOON, UNKNOWN_FRESH);
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('does not use a copy that an invalidation has dropped before or during the lookup (D35)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      clock.at = plus(NOON, FRESH);
      far.slow = true;
      const lookup = failure(hash);
      const { fail } = await far.question(0);
      await revoke(accounts, account);
      fail();
      expect(await lookup).to.be.instanceOf(Unavailable);
      away();
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('fails all requests that share a failed lookup, and then looks up again', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      far.slow = true;
      const lookups = Promise.all([failure(hash), failure(hash)]);
      (await far.question(0)).fail();
      for (const fault of await lookups) expect(fault).to.be.instanceOf(Unavailable);
      expect(far.asked).to.equal(1);
      far.slow = false;
      expect(await status(hash)).to.equal('active');
    });
  });

  it('does not hide a bug behind a copy', async () => {
    const { hash } = firstKey(await anAccount(accounts));
    await gate.find(hash);
    clock.at = plus(NOON, FRESH);
    far.fault = new Error('bug in a query');
    expect(await failure(hash)).to.equal(far.fault);
  });
});
