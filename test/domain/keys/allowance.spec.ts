import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS, type PlanName } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { keysInUse } from '../../../src/domain/keys/allowance.js';
import { openPredecessor, openSuccessor } from '../../../src/domain/keys/overlap.js';
import { SUSPENSION_CAUSES } from '../../../src/domain/keys/suspension.js';
import { DAY, type Duration, HOUR, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  auditContext,
  freshKey,
  issued,
  keyId,
  keyNamed,
  NOON,
  rotated,
  suspendedBy,
} from '../../support/objects/builders.js';

const issue = (from: Account, name = 'more') =>
  issueKey(from, freshKey(name), PLANS[from.subscription.plan], auditContext());
const rotate = (from: Account, name: string, successor = 'more') =>
  rotateKey(from, keyId(name), freshKey(successor), auditContext());
const revoke = (from: Account, name: string, cause: 'rotation' | 'manual' = 'manual') =>
  accepted(revokeKey(from, keyId(name), cause, auditContext())).next;
const applyKeyEvent = (from: Account, name: string, event: 'held' | 'released') =>
  accepted(applyOperatorEvent(from, keyId(name), event, auditContext())).next;
const onPlan = (from: Account, plan: PlanName): Account => ({
  ...from,
  subscription: { ...from.subscription, plan },
});

const ISSUED = 'issued';
const answerTo = (answer: ReturnType<typeof issueKey>) => ('refused' in answer ? answer : ISSUED);
const exceeded = (allowance: number) => ({ refused: 'allowance_exceeded', allowance });

describe('The allowance (contract section 5.3, D23)', () => {
  for (const [plan, keys] of [
    ['free', 1],
    ['builder', 1],
    ['pro', 5],
  ] as const) {
    it(`of ${plan} is ${keys} keys in use, and the next one is refused (contract sections 5.3 and 8)`, () => {
      const names = Array.from({ length: keys }, (_, i) => `k${i}`);
      const full = issued(account({ plan }), NOON, ...names);
      expect(full.keys).to.have.length(keys);
      expect(answerTo(issue(full))).to.deep.equal(exceeded(keys));
    });
  }

  it('has room again after a revocation (D23)', () => {
    const full = issued(account({ plan: 'free' }), NOON, 'k1');
    expect(answerTo(issue(revoke(full, 'k1')))).to.equal(ISSUED);
  });

  it('counts suspended keys (D23)', () => {
    const held = applyKeyEvent(issued(account({ plan: 'free' }), NOON, 'k1'), 'k1', 'held');
    expect(answerTo(issue(held))).to.deep.equal(exceeded(1));
  });

  it('does not count a key in its grace window: it is revoked (D23)', () => {
    const both = rotated(
      issued(account({ plan: 'pro' }), NOON, 'k1', 'k2', 'k3', 'k4', 'k5'),
      NOON,
      'k1',
      's1',
    );
    const retired = revoke(both, 'k1', 'rotation');
    expect(keysInUse(retired.keys)).to.equal(5);
    expect(answerTo(issue(revoke(retired, 'k2')))).to.equal(ISSUED);
  });

  it('counts a key and its open successor as one, until either is revoked (D23)', () => {
    const full = issued(account({ plan: 'free' }), NOON, 'k1');
    const both = rotated(full, NOON, 'k1', 's1');
    expect(keysInUse(both.keys)).to.equal(1);
    expect(answerTo(issue(both))).to.deep.equal(exceeded(1));
    for (const [gone, left] of [
      ['k1', 's1'],
      ['s1', 'k1'],
    ] as const) {
      const one = revoke(both, gone);
      expect(keysInUse(one.keys), gone).to.equal(1);
      expect(answerTo(issue(one)), gone).to.deep.equal(exceeded(1));
      expect(answerTo(issue(revoke(one, left))), gone).to.equal(ISSUED);
    }
  });

  it('lets a full account rotate all its keys, one successor each (D23)', () => {
    const names = ['k1', 'k2', 'k3', 'k4', 'k5'];
    const full = issued(account(), NOON, ...names);
    const all = names.reduce((from, name) => rotated(from, NOON, name, `s-${name}`), full);
    expect(all.keys).to.have.length(10);
    expect(keysInUse(all.keys)).to.equal(5);
    expect(answerTo(issue(all))).to.deep.equal(exceeded(5));
  });

  it('counts a key revoked under a hold of its own until its release (D21)', () => {
    const held = applyKeyEvent(issued(account({ plan: 'free' }), NOON, 'k1'), 'k1', 'held');
    const revoked = revoke(held, 'k1');
    expect(answerTo(issue(revoked))).to.deep.equal(exceeded(1));
    const released = applyKeyEvent(revoked, 'k1', 'released');
    expect(keyNamed(released, 'k1').state.status).to.equal('revoked');
    expect(answerTo(issue(released))).to.equal(ISSUED);
  });

  it('counts that key also after a release on the subscription (D20, D21)', () => {
    const held = applyKeyEvent(issued(account({ plan: 'free' }), NOON, 'k1'), 'k1', 'held');
    const revoked = revoke(held, 'k1');
    const released = applyToSubscription(revoked, 'released', auditContext()).next;
    expect(answerTo(issue(released))).to.deep.equal(exceeded(1));
  });

  it('does not count a key revoked under a hold of only the subscription (D21)', () => {
    const full = issued(account({ plan: 'free' }), NOON, 'k1');
    const revoked = revoke(applyToSubscription(full, 'held', auditContext()).next, 'k1');
    expect(answerTo(issue(applyToSubscription(revoked, 'released', auditContext()).next))).to.equal(ISSUED);
  });
});

describe('New keys', () => {
  /** Issues and revokes keys, one after the other, `apart` each. */
  const replaced = (count: number, apart: Duration): { readonly account: Account; readonly at: Moment } => {
    let [current, at] = [account({ plan: 'free' }), NOON];
    for (let n = 0; n < count; n += 1) {
      const fresh = freshKey(`k${n}`);
      current = accepted(issueKey(current, fresh, PLANS.free, auditContext(at))).next;
      current = accepted(revokeKey(current, fresh.id, 'manual', auditContext(at))).next;
      at = plus(at, apart);
    }
    return { account: current, at };
  };
  const at = (from: Account, now: Moment) =>
    answerTo(issueKey(from, freshKey('more'), PLANS.free, auditContext(now)));

  it('are at most 20 in 24 hours, also if all are revoked', () => {
    const { account: full, at: now } = replaced(20, MINUTE);
    const nextAt = plus(NOON, DAY);
    expect(at(full, now)).to.deep.equal({ refused: 'too_many_keys', limit: 20, nextAt });
    expect(at(full, plus(nextAt, -1))).to.deep.equal({ refused: 'too_many_keys', limit: 20, nextAt });
    expect(at(full, nextAt)).to.equal(ISSUED);
  });

  it('of a rotation count as well', () => {
    const { account: full, at: now } = replaced(19, MINUTE);
    const last = issued(full, now, 'last');
    const answer = rotateKey(last, keyId('last'), freshKey('successor'), auditContext(now));
    expect(answer).to.deep.equal({ refused: 'too_many_keys', limit: 20, nextAt: plus(NOON, DAY) });
    expect(revoke(last, 'last').keys.at(-1)?.state.status).to.equal('revoked');
  });

  it('are at most 10 000 in all, also if the account lists only the last ones', () => {
    const { account: some, at: now } = replaced(25, 2 * HOUR);
    expect(at({ ...some, closedKeys: 10_000 - some.keys.length - 1 }, now)).to.equal(ISSUED);
    expect(at({ ...some, closedKeys: 10_000 - some.keys.length }, now)).to.deep.equal({
      ...{ refused: 'too_many_keys', limit: 10_000, nextAt: null },
    });
  });
});

describe('A downgrade (D24)', () => {
  const pro = issued(account(), NOON, 'k1', 'k2', 'k3');
  const free = onPlan(pro, 'free');

  it('revokes no key (D24)', () => {
    expect(free.keys.map((key) => key.state.status)).to.deep.equal(['active', 'active', 'active']);
  });

  it('lets no key be issued until the count is below the new allowance (D24)', () => {
    expect(answerTo(issue(free))).to.deep.equal(exceeded(1));
    expect(answerTo(issue(revoke(free, 'k1')))).to.deep.equal(exceeded(1));
    expect(answerTo(issue(revoke(revoke(free, 'k1'), 'k2')))).to.deep.equal(exceeded(1));
    expect(answerTo(issue(revoke(revoke(revoke(free, 'k1'), 'k2'), 'k3')))).to.equal(ISSUED);
  });

  it('lets each key beyond the allowance be rotated (D23, D24)', () => {
    expect(answerTo(rotate(free, 'k2'))).to.equal(ISSUED);
  });

  it('is undone by an upgrade (D24)', () => {
    expect(answerTo(issue(onPlan(free, 'pro')))).to.equal(ISSUED);
  });
});

describe('A suspension of the subscription does not allow a new key (D21)', () => {
  const from = issued(account(), NOON, 'k1');

  for (const cause of SUSPENSION_CAUSES) {
    it(`${cause} on the subscription refuses an issue and a rotation as \`key_suspended\` (D21)`, () => {
      const applied: Account = {
        ...from,
        subscription: { ...from.subscription, suspension: suspendedBy(cause) },
      };
      const refusal = { refused: 'key_suspended', causes: [cause] };
      expect(answerTo(issue(applied))).to.deep.equal(refusal);
      expect(answerTo(rotate(applied, 'k1'))).to.deep.equal(refusal);
    });
  }

  // biome-ignore format: a table is read by its columns
  const states = [
    ['trialing',   ISSUED],
    ['active',     ISSUED],
    ['incomplete', { refused: 'subscription_incomplete' }],
    ['paused',     { refused: 'subscription_paused' }],
    ['unpaid',     { refused: 'payment_required' }],
    ['canceled',   { refused: 'payment_required' }],
  ] as const;
  for (const [state, answer] of states) {
    const lines = typeof answer === 'string' ? answer : answer.refused;
    it(`a subscription that is ${state} answers an issue and a rotation with ${lines} (D21, D27)`, () => {
      const moved: Account = { ...from, subscription: { ...from.subscription, state } };
      expect(answerTo(issue(moved))).to.deep.equal(answer);
      expect(answerTo(rotate(moved, 'k1'))).to.deep.equal(answer);
    });
  }

  it('is reported before an exhausted allowance (D21)', () => {
    const full = issued(account({ plan: 'free' }), NOON, 'k1');
    expect(answerTo(issue(applyToSubscription(full, 'abuse_detected', auditContext()).next))).to.deep.equal({
      refused: 'key_suspended',
      causes: ['abuse'],
    });
  });

  it('does not refuse other keys while only one key is held (D21)', () => {
    const held = applyKeyEvent(issued(from, NOON, 'k2'), 'k1', 'held');
    expect(answerTo(issue(held))).to.equal(ISSUED);
    expect(answerTo(rotate(held, 'k2'))).to.equal(ISSUED);
  });
});

describe('The rotation of a key (D23)', () => {
  const one = issued(account({ plan: 'free' }), NOON, 'k1');

  it('is refused while the key has an open successor (D23)', () => {
    expect(answerTo(rotate(rotated(one, NOON, 'k1', 's1'), 'k1'))).to.deep.equal({
      refused: 'rotation_open',
    });
  });

  it('is refused while the key is itself an open successor: no chains (D23)', () => {
    expect(answerTo(rotate(rotated(one, NOON, 'k1', 's1'), 's1'))).to.deep.equal({
      refused: 'rotation_open',
    });
  });

  it('is possible for the successor once the older key is revoked (D23)', () => {
    const both = rotated(one, NOON, 'k1', 's1');
    expect(answerTo(rotate(revoke(both, 'k1', 'rotation'), 's1'))).to.equal(ISSUED);
    expect(answerTo(rotate(revoke(both, 'k1', 'manual'), 's1'))).to.equal(ISSUED);
  });

  it('is possible for the older key once its successor is revoked (D23)', () => {
    const again = revoke(rotated(one, NOON, 'k1', 's1'), 's1');
    expect(openSuccessor(again.keys, keyNamed(again, 'k1'))).to.equal(undefined);
    const twice = rotated(again, NOON, 'k1', 's2');
    expect(openSuccessor(twice.keys, keyNamed(twice, 'k1'))?.id).to.equal('s2');
    expect(openPredecessor(twice.keys, keyNamed(twice, 's1'))).to.equal(undefined);
    expect(openPredecessor(twice.keys, keyNamed(twice, 's2'))?.id).to.equal('k1');
  });

  it('is refused for a revoked key, also in its grace window (contract section 3.1)', () => {
    const retired = revoke(rotated(one, NOON, 'k1', 's1'), 'k1', 'rotation');
    expect(answerTo(rotate(retired, 'k1'))).to.deep.equal({ refused: 'key_revoked' });
  });

  it('is refused for a key with a hold of its own, as `key_suspended` (D21)', () => {
    const refusal = { refused: 'key_suspended', causes: ['manual_hold'] };
    expect(answerTo(rotate(applyKeyEvent(one, 'k1', 'held'), 'k1'))).to.deep.equal(refusal);
    expect(
      answerTo(rotate(applyKeyEvent(applyKeyEvent(one, 'k1', 'held'), 'k1', 'released'), 'k1')),
    ).to.equal(ISSUED);
  });

  it('is refused with all causes, of the key and of its subscription (D20, D32)', () => {
    const held = applyToSubscription(applyKeyEvent(one, 'k1', 'held'), 'abuse_detected', auditContext()).next;
    expect(answerTo(rotate(held, 'k1'))).to.deep.equal({
      refused: 'key_suspended',
      causes: ['abuse', 'manual_hold'],
    });
  });

  it('is refused for a key that is not of this account', () => {
    expect(answerTo(rotate(one, 'k9'))).to.deep.equal({ refused: 'not_found', what: 'key' });
  });
});
