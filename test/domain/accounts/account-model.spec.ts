import { expect } from 'chai';
import fc from 'fast-check';
import { applyDue } from '../../../src/domain/accounts/account-due.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { admittedByKey, derivedState, type KeyId } from '../../../src/domain/keys/api-key.js';
import { openPredecessor, openSuccessor } from '../../../src/domain/keys/overlap.js';
import { between, DAY, plus, SECOND } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import {
  always,
  Bystander,
  isLive,
  plans,
  played,
  type Step,
  steps,
} from '../../support/objects/account-model.js';
import { runs, suspendedBy } from '../../support/objects/builders.js';

describe('After any events of an account, in any order and at any time', () => {
  it('a revoked key stays revoked, by the same cause and since the same moment (contract section 3.1, D22)', () => {
    always(({ before, account: after }) => {
      for (const key of before.keys) {
        if (key.state.status !== 'revoked') continue;
        const state = after.keys.find(({ id }) => id === key.id)?.state;
        expect(state).to.include({
          status: 'revoked',
          cause: key.state.cause,
          revokedAt: key.state.revokedAt,
        });
        expect(state?.status === 'revoked' && state.worksUntil <= key.state.worksUntil).to.equal(true);
      }
    });
  });

  it('a key that is not revoked is never admitted while it or its subscription has a cause (D20, D21)', () => {
    always(({ account: { keys, subscription }, now }) => {
      for (const { state } of keys) {
        if (state.status === 'revoked') continue;
        if (state.status === 'active' && subscription.suspension.status === 'active') continue;
        expect(admittedByKey(derivedState(state, subscription.suspension), now)).to.have.property(
          'refused',
          'key_suspended',
        );
      }
    });
  });

  it('a grace lasts 300 s at most, and only a key rotated while active has one (D22)', () => {
    fc.assert(
      fc.property(plans, steps, (plan, some) => {
        const bystander = new Bystander();
        const rotatedWhenActive = new Set<KeyId>();
        for (const { account: current, added } of played(plan, some, (step) => step.sweep)) {
          for (const entry of added) {
            const { key, event } = entry;
            if (key !== null && event === 'rotated' && bystander.causesOf(key).size === 0) {
              rotatedWhenActive.add(key);
            }
            bystander.read(entry);
          }
          for (const { id, state } of current.keys) {
            if (state.status !== 'revoked') continue;
            const grace = between(state.revokedAt, state.worksUntil);
            expect(grace).to.be.within(0, rotatedWhenActive.has(id) ? 300 * SECOND : 0);
            if (grace > 0) expect(state.cause).to.equal('rotation');
          }
        }
      }),
      runs(150),
    );
  });

  it('the keys that are not revoked number at most the allowance plus the open overlaps (D23)', () => {
    always(({ account: { keys, subscription } }) => {
      const live = keys.filter(isLive).length;
      const overlaps = keys.filter((key) => openPredecessor(keys, key) !== undefined).length;
      expect(live).to.be.at.most(PLANS[subscription.plan].keys + overlaps);
    });
  });

  it('no key is in two overlaps (D23)', () => {
    always(({ account: { keys } }) => {
      const ends = keys.flatMap((key) => {
        const older = openPredecessor(keys, key);
        if (older === undefined) return [];
        expect(openSuccessor(keys, older)?.id).to.equal(key.id);
        return [older.id, key.id];
      });
      expect(new Set(ends).size).to.equal(ends.length);
    });
  });

  it('the audit log alone shows which keys are admitted or suspended, and for which causes (D20, D25)', () => {
    fc.assert(
      fc.property(plans, steps, (plan, some) => {
        const bystander = new Bystander();
        for (const { account: stored, now, added } of played(plan, some, (step) => step.sweep)) {
          for (const entry of added) bystander.read(entry);
          const { next, entries } = applyDue(stored, now);
          if (entries.length > 0) continue;
          for (const { id, state } of next.keys) {
            const counted = derivedState(state, next.subscription.suspension);
            const answer = admittedByKey(counted, now);
            expect('refused' in answer ? answer.refused : 'admitted').to.equal(bystander.answer(id, now));
            if (counted.status === 'suspended') {
              expect(counted).to.deep.equal(suspendedBy(...bystander.causesOf(id)));
            }
          }
        }
      }),
      runs(250),
    );
  });

  it('every accepted change adds one entry of its own, with actor, reason and time (D25)', () => {
    always(({ answer, added, context }) => {
      const own = added.filter(({ actor }) => actor !== 'service');
      expect(own).to.have.length(isRefusal(answer) ? 0 : 1);
      for (const entry of own) expect(entry).to.include(context);
    });
  });

  it('every key whose state changed has an entry, or its subscription has (D25)', () => {
    always(({ before, account: after, added }) => {
      const applied = new Set(added.map(({ key }) => key));
      for (const key of after.keys) {
        const previous = before.keys.find(({ id }) => id === key.id);
        if (previous !== undefined && JSON.stringify(previous.state) === JSON.stringify(key.state)) continue;
        expect(applied.has(key.id) || applied.has(null)).to.equal(true);
      }
      if (before.subscription.suspension.status !== after.subscription.suspension.status) {
        expect(applied.has(null)).to.equal(true);
      }
    });
  });

  it('the times of the audit log never go back (D25)', () => {
    always(({ log }) => {
      const times = log.map(({ at }) => at);
      expect(times).to.deep.equal([...times].sort());
    });
  });

  it('the result does not depend on how often or how late due work runs (D23)', () => {
    fc.assert(
      fc.property(plans, steps, (plan, some) => {
        const ending = (swept: (step: Step) => boolean) => {
          const last = [...played(plan, some, swept)].at(-1);
          if (last === undefined) throw new Error('no step was played');
          const { next, entries } = applyDue(last.account, plus(last.now, 2 * DAY));
          return {
            keys: next.keys,
            subscription: next.subscription.suspension,
            log: [...last.log, ...entries],
          };
        };
        const never = ending(() => false);
        expect(ending((step) => step.sweep)).to.deep.equal(never);
        expect(ending(() => true)).to.deep.equal(never);
      }),
      runs(150),
    );
  });

  it('the random runs cover grace, overlaps retired by the service, and refusals of each kind', () => {
    const met = new Map<string, number>();
    const meet = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);
    const some = fc.sample(fc.tuple(plans, steps), { numRuns: 300, seed: 1 });
    for (const [plan, each] of some) {
      for (const { account: current, now, added, answer } of played(plan, each, (step) => step.sweep)) {
        for (const { actor, event } of added) meet(actor === 'service' ? 'retired by the service' : event);
        if (isRefusal(answer)) meet(answer.refused);
        const inGrace = current.keys.some(
          ({ state }) => state.status === 'revoked' && now < state.worksUntil,
        );
        if (inGrace) meet('grace');
      }
    }
    for (const what of [
      ...['grace', 'retired by the service', 'rotated', 'cancelled', 'revoked', 'held', 'abuse_detected'],
      ...['allowance_exceeded', 'rotation_open', 'no_replacement', 'key_suspended', 'key_revoked'],
    ]) {
      expect(met.get(what) ?? 0, what).to.be.at.least(20);
    }
  });
});
