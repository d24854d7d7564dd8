import { expect } from 'chai';
import { announcingAccounts } from '../../../src/adapters/caching/announcing-accounts.js';
import { CachedGate } from '../../../src/adapters/caching/cached-gate.js';
import { MemoryAccounts } from '../../../src/adapters/memory/memory-accounts.js';
import { MemoryGate } from '../../../src/adapters/memory/memory-gate.js';
import { MemorySignals } from '../../../src/adapters/memory/memory-signals.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { Gate, GateEntry } from '../../../src/application/ports/keys/gate.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { type FreshKey, issueKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { MICROSECOND, MINUTE, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, act, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';

/** With the time to read again, a lost hint costs at most 5 s. */
const FRESH = 4.5 * SECOND;
const UNKNOWN_FRESH = 5 * SECOND;
const MAX_STALE = 10 * MINUTE;

/** A question that the store has read the answer to, and has not given it yet. */
type Question = { readonly answer: () => void; readonly fail: () => void };

/** The gate of the store, seen from its cache: how often it is asked, and when it answers, is told by the test. */
class FarGate implements Gate {
  asked = 0;
  fault: Error | null = null;
  slow = false;
  /** What happens in the very turn in which it is asked, after it has read. */
  whenAsked: () => void = () => {};
  readonly #questions: Question[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #gate: Gate;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  find(hash: KeyHash): Promise<GateEntry | null> {
    this.asked += 1;
    if (this.fault !== null) return Promise.reject(this.fault);
    const answer = this.#gate.find(hash);
    this.whenAsked();
    if (!this.slow) return answer;
    return new Promise((done, fail) => {
      this.#questions.push({ answer: () => done(answer), fail: () => fail(new Unavailable('the store')) });
      for (const tell of this.#waiting.splice(0)) tell();
    });
  }

  /** The nth question that it was asked while it is slow, as soon as it is asked. */
  async question(n: number): Promise<Question> {
    for (;;) {
      const asked = this.#questions[n];
      if (asked !== undefined) return asked;
      await new Promise<void>((done) => this.#waiting.push(done));
    }
  }
}

describe('A cached gate', () => {
  let now: Moment;
  let stored: MemoryAccounts;
  let signals: MemorySignals;
  let accounts: Accounts;
  let far: FarGate;
  let gate: CachedGate;
  beforeEach(() => {
    now = NOON;
    stored = new MemoryAccounts();
    signals = new MemorySignals();
    accounts = announcingAccounts(stored, signals);
    far = new FarGate(new MemoryGate(stored));
    gate = new CachedGate({ gate: far, signals, clock: () => now, maxStale: MAX_STALE });
  });

  const away = () => {
    far.fault = new Unavailable('the store');
  };
  const status = async (hash: KeyHash) => (await gate.find(hash))?.key.state.status ?? null;
  const failure = (hash: KeyHash) =>
    gate.find(hash).then(
      (entry) => ({ answered: entry }),
      (fault: unknown) => fault,
    );
  const revoke = async (into: Accounts, account: Account) => {
    const { id } = firstKey(account);
    accepted(await into.change(account.id, (found) => revokeKey(found, id, 'manual', act())));
  };
  const issue = async (into: Accounts, account: Account, fresh: FreshKey) => {
    accepted(await into.change(account.id, (found) => issueKey(found, fresh, PLANS.pro, act())));
  };
  describe('while the store answers', () => {
    it('asks it once for a key that is used again within 5 s, and again after that (D39)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      now = plus(NOON, FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.deep.equal(first);
      expect(far.asked).to.equal(1);
      now = plus(NOON, FRESH);
      expect(await gate.find(hash)).to.deep.equal(first);
      expect(far.asked).to.equal(2);
    });

    it('asks it once in 5 s for a hash that no key has (D33)', async () => {
      const { hash } = aFreshKey();
      for (let i = 0; i < 5; i += 1) expect(await gate.find(hash)).to.equal(null);
      now = plus(NOON, UNKNOWN_FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.equal(null);
      expect(far.asked).to.equal(1);
      now = plus(NOON, UNKNOWN_FRESH);
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
      now = plus(NOON, UNKNOWN_FRESH);
      expect([await status(hash), await status(fresh.hash)]).to.deep.equal(['revoked', 'active']);
    });

    it('counts the age of a copy from when it was asked for, not from when the answer came (D39)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      far.slow = true;
      const asking = status(hash);
      const { answer } = await far.question(0);
      await revoke(stored, account);
      now = plus(NOON, FRESH - MICROSECOND);
      answer();
      expect(await asking).to.equal('active');
      far.slow = false;
      now = plus(NOON, FRESH);
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

  describe('when a hint comes while a question is on its way', () => {
    beforeEach(() => {
      far.slow = true;
    });

    it('does not keep the answer, if it comes in the very turn in which the store is asked (D39)', async () => {
      far.slow = false;
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      far.whenAsked = () => {
        far.whenAsked = () => {};
        void signals.send({ changed: 'account', keys: [hash] });
      };
      expect(await status(hash)).to.equal('active');
      await revoke(stored, account);
      expect(await status(hash)).to.equal('revoked');
    });

    it('does not keep the answer, if it comes before the store could even be asked (D39)', async () => {
      far.slow = false;
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      const asking = gate.find(hash);
      const revoking = revoke(accounts, account);
      await Promise.all([asking, revoking]);
      expect(await status(hash)).to.equal('revoked');
    });

    it('does not keep that no such key exists, if it was issued meanwhile (D39)', async () => {
      const account = await anAccount(accounts, 0);
      const fresh = aFreshKey();
      const asking = status(fresh.hash);
      const { answer } = await far.question(0);
      await issue(accounts, account, fresh);
      answer();
      expect(await asking).to.equal(null);
      far.slow = false;
      expect(await status(fresh.hash)).to.equal('active');
    });

    it('does not keep an active key that was revoked meanwhile (D39)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      const asking = status(hash);
      const { answer } = await far.question(0);
      await revoke(accounts, account);
      answer();
      expect(await asking).to.equal('active');
      far.slow = false;
      expect(await status(hash)).to.equal('revoked');
    });

    it('asks anew for who comes after the hint, and lets the old answer overwrite nothing (D39)', async () => {
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

    it('goes on asking once for the many who come after it, when the old answer is there first', async () => {
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

    it('does not fall back on the copy it dropped, also when it has a newer one by then (D35)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      far.slow = false;
      await gate.find(hash);
      now = plus(NOON, FRESH);
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

  describe('while the store is away', () => {
    it('goes on with the copy it has for less than `maxStale`, then says so (D35)', async () => {
      const { hash } = firstKey(await anAccount(accounts));
      const first = await gate.find(hash);
      away();
      now = plus(NOON, MAX_STALE - MICROSECOND);
      expect(await gate.find(hash)).to.deep.equal(first);
      now = plus(NOON, MAX_STALE);
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('tries the store again with each use of an old copy, and has the news when it is back', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      away();
      now = plus(NOON, MINUTE);
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
        now = plus(NOON, age);
        expect(await status(hash)).to.equal('active');
      }
      now = plus(NOON, MAX_STALE);
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
      now = plus(NOON, UNKNOWN_FRESH - MICROSECOND);
      expect(await gate.find(hash)).to.equal(null);
      now = plus(NOON, UNKNOWN_FRESH);
      expect(await failure(hash)).to.be.instanceOf(Unavailable);
    });

    it('does not serve a copy that a hint has dropped, before the question or during it (D35)', async () => {
      const account = await anAccount(accounts);
      const { hash } = firstKey(account);
      await gate.find(hash);
      now = plus(NOON, FRESH);
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
    now = plus(NOON, FRESH);
    far.fault = new Error('bug in a query');
    expect(await failure(hash)).to.equal(far.fault);
  });
});
