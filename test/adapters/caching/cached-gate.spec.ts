import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import {
  COMPARE_AFTER_MS,
  cachedGateInMemory,
  issue,
  MAX_STALE_MS,
  revoke,
} from '../../support/copies/far-gate.js';
import { nextImmediate } from '../../support/next-immediate.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';

describe('A cached gate', () => {
  let { clock, follower, diverged, stored, accounts, far, gate, away, status, failure } =
    cachedGateInMemory();
  beforeEach(() => {
    ({ clock, follower, diverged, stored, accounts, far, gate, away, status, failure } =
      cachedGateInMemory());
  });

  describe('while the change logs are read', () => {
    it('looks a key up once, whatever the time (D39)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      clock.ms = COMPARE_AFTER_MS - 1;
      expect(gate.find(hash)).to.equal(first);
      expect(far.asked).to.equal(1);
    });

    it('looks an unknown hash up once (D33)', async () => {
      const { hash } = aFreshKey();
      for (let i = 0; i < 5; i += 1) expect(await gate.find(hash)).to.equal(null);
      expect(far.asked).to.equal(1);
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

    it('drops every key that a change in the log names, and no other (D39)', async () => {
      const [account, other] = [await anAccount(accounts), await anAccount(accounts)];
      const [hash, otherHash] = [firstKey(account).hash, firstKey(other).hash];
      expect([await status(hash), await status(otherHash)]).to.deep.equal(['active', 'active']);
      await revoke(stored, account);
      expect(await status(hash)).to.equal('active');
      gate.apply([{ keys: [hash] }]);
      expect([await status(hash), await status(otherHash)]).to.deep.equal(['revoked', 'active']);
      expect(far.asked).to.equal(3);
      gate.apply([{ keys: 'all' }]);
      expect([await status(hash), await status(otherHash)]).to.deep.equal(['revoked', 'active']);
      expect(far.asked).to.equal(5);
    });

    it('finds a new key at once after its change, even if its hash was cached as unknown (D39)', async () => {
      const account = await anAccount(accounts, 0);
      const [announced, logged] = [aFreshKey(), aFreshKey()];
      expect([await status(announced.hash), await status(logged.hash)]).to.deep.equal([null, null]);
      await issue(accounts, account, announced);
      expect(await status(announced.hash)).to.equal('active');
      await issue(stored, account, logged);
      gate.apply([{ keys: [logged.hash] }]);
      expect(await status(logged.hash)).to.equal('active');
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

    it('repeats a lookup that a pause of the process made too old (D39)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      far.slow = true;
      const lookup = status(hash);
      const { answer } = await far.question(0);
      await revoke(stored, account);
      clock.ms = 1_001;
      answer();
      (await far.question(1)).answer();
      expect(await lookup).to.equal('revoked');
    });
  });

  describe('while the change logs are not read', () => {
    it('uses its copy at once, up to `maxStaleMs` after the last read of the logs, then asks the store (D35)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      follower.readAt = 1_000;
      follower.decided = 'outdated';
      away();
      clock.ms = 1_000 + MAX_STALE_MS - 1;
      expect(gate.find(hash)).to.equal(first);
      expect(far.asked).to.equal(1);
      clock.ms = 1_000 + MAX_STALE_MS;
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('counts the age of a copy from its lookup if the logs were not read since', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      follower.decided = 'outdated';
      follower.readAt = null;
      clock.ms = 5_000;
      await gate.find(hash);
      away();
      clock.ms = 5_000 + MAX_STALE_MS - 1;
      expect(await status(hash)).to.equal('active');
      clock.ms = 5_000 + MAX_STALE_MS;
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('waits for a read of the logs if the rule says so, and then uses the copy, or none', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      follower.decided = { waitUntil: 100 };
      const [one, other] = [status(hash), status(hash)];
      await nextImmediate();
      await revoke(stored, account);
      gate.apply([{ keys: [hash] }]);
      follower.decided = 'current';
      for (const tell of follower.waiting) tell(true);
      expect([await one, await other]).to.deep.equal(['revoked', 'revoked']);
    });

    it('uses the copy as D35 allows if the read does not end in time', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      await gate.find(hash);
      follower.decided = { waitUntil: 100 };
      const found = status(hash);
      await nextImmediate();
      follower.decided = 'outdated';
      for (const tell of follower.waiting) tell(false);
      expect(await found).to.equal('active');
    });

    it('never reports a key as unknown, because it cannot know (D35)', async () => {
      const { hash } = aFreshKey();
      expect(await gate.find(hash)).to.equal(null);
      follower.decided = 'outdated';
      away();
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('does not use a copy that a change has dropped (D35)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      follower.decided = 'outdated';
      await revoke(accounts, account);
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

  describe('compares a copy in use with the store', () => {
    const twice = 2 * COMPARE_AFTER_MS;

    it('after `compareAfterMs` to twice as long, while it goes on to use it', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      clock.ms = twice;
      expect(gate.find(hash)).to.equal(first);
      expect(gate.find(hash)).to.equal(first);
      await nextImmediate();
      expect([far.asked, follower.reads, diverged]).to.deep.equal([2, 0, []]);
      expect(gate.find(hash)).to.equal(first);
      expect(far.asked).to.equal(2);
    });

    it('reports no divergence if the next read of the logs has the change', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      await revoke(stored, account);
      follower.readNow = async () => gate.apply([{ keys: [hash] }]);
      clock.ms = twice;
      await gate.find(hash);
      await nextImmediate();
      expect(diverged).to.deep.equal([]);
      expect(await status(hash)).to.equal('revoked');
    });

    it('reports a divergence and drops the copy if the next read of the logs has no change', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      const first = await gate.find(hash);
      await revoke(stored, account);
      clock.ms = twice;
      await gate.find(hash);
      await nextImmediate();
      expect([follower.reads, diverged]).to.deep.equal([1, [first]]);
      expect(await status(hash)).to.equal('revoked');
    });

    it('tries again later if the store is unavailable', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      await gate.find(hash);
      far.fault = new Unavailable('the store');
      clock.ms = twice;
      await gate.find(hash);
      await nextImmediate();
      far.fault = null;
      clock.ms = 3 * twice;
      await gate.find(hash);
      expect(far.asked).to.equal(3);
    });
  });

  it('does not hide a bug behind a copy', async () => {
    const { hash } = firstKey(await anAccount(accounts));
    follower.decided = 'outdated';
    far.fault = new Error('bug in a query');
    expect(await failure(hash)).to.equal(far.fault);
  });
});
