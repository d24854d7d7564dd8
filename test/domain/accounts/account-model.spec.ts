import { expect } from 'chai';
import fc from 'fast-check';
import type { Account, Act, AuditEntry, Change } from '../../../src/domain/accounts/account.js';
import { decideAt, settled } from '../../../src/domain/accounts/account-due.js';
import { cancelSubscription, strikeSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS, type PlanName } from '../../../src/domain/billing/plan.js';
import { issueKey, revokeKey, rotateKey, strikeKey } from '../../../src/domain/keys/account-keys.js';
import { admittedByKey, derivedState, type KeyId } from '../../../src/domain/keys/api-key.js';
import { openPredecessor, openSuccessor } from '../../../src/domain/keys/overlap.js';
import type { CauseEvent, SuspensionCause } from '../../../src/domain/keys/suspension.js';
import { between, DAY, HOUR, MINUTE, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.js';
import { account, freshKey, keyId, NOON, runs, standing } from '../../support/objects/builders.js';

type Deed = 'issue' | 'rotate' | 'retire' | 'revoke' | 'hold' | 'release' | CauseEvent | 'cancel';
type Step = {
  readonly wait: number;
  readonly deed: Deed;
  /** Which of the keys, counted from the last and around. */
  readonly pick: number;
  /** Whether due work is run before the deed. */
  readonly sweep: boolean;
};

const waits = fc.oneof(
  fc.constantFrom(0, 0, 1, MINUTE, 300 * SECOND - 1, 300 * SECOND, HOUR, DAY - 1, DAY, DAY + 1),
  fc.integer({ min: 0, max: DAY }),
);
const deeds: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom<Deed>('issue', 'rotate', 'retire') },
  { weight: 30, arbitrary: fc.constantFrom<Deed>('revoke', 'hold', 'release', 'release') },
  {
    weight: 30,
    arbitrary: fc.constantFrom<Deed>(
      ...(['payment_failed', 'abuse_detected', 'held'] as const),
      ...([
        'invoice_paid',
        'abuse_cleared',
        'released',
        'invoice_paid',
        'abuse_cleared',
        'released',
      ] as const),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Deed>('cancel') },
);
const steps = fc.array(fc.record<Step>({ wait: waits, deed: deeds, pick: fc.nat(3), sweep: fc.boolean() }), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
});
const plans = fc.constantFrom<PlanName>('free', 'builder', 'pro');

function doing(deed: Deed, pick: number, i: number, act: Act) {
  return (current: Account): Change | Refusal => {
    const fresh = freshKey(`key-${i}`);
    const picked = current.keys.at(-1 - (pick % Math.max(1, current.keys.length)))?.id ?? keyId('none');
    switch (deed) {
      case 'issue':
        return issueKey(current, fresh, PLANS[current.subscription.plan], act);
      case 'rotate':
        return rotateKey(current, picked, fresh, act);
      case 'retire':
        return revokeKey(current, picked, 'rotation', act);
      case 'revoke':
        return revokeKey(current, picked, 'manual', act);
      case 'hold':
        return strikeKey(current, picked, 'held', act);
      case 'release':
        return strikeKey(current, picked, 'released', act);
      case 'cancel':
        return cancelSubscription(current, act);
      default:
        return strikeSubscription(current, deed, act);
    }
  };
}

/** What a bystander knows of the account by its audit log alone. */
class Bystander {
  readonly causes = new Map<KeyId | null, Set<SuspensionCause>>([[null, new Set()]]);
  /** The revoked keys, and until when each still works. */
  readonly worksUntil = new Map<KeyId, Moment>();

  causesOf(key: KeyId): ReadonlySet<SuspensionCause> {
    return new Set([...(this.causes.get(key) ?? []), ...(this.causes.get(null) ?? [])]);
  }

  read({ event, key, at }: AuditEntry): void {
    if (event === 'issued') this.causes.set(key, new Set());
    const placed = PLACED[event];
    const lifted = LIFTED[event];
    const revoked = key !== null && this.worksUntil.has(key);
    if (placed !== undefined && !revoked) this.causes.get(key)?.add(placed);
    if (lifted !== undefined) this.causes.get(key)?.delete(lifted);
    const struck = key === null ? [...this.causes.keys()].filter((each) => each !== null) : [key];
    if (placed !== undefined) for (const each of struck) this.endGrace(each, at);
    if (event === 'rotated' || event === 'revoked' || event === 'cancelled') {
      for (const each of struck) this.revoke(each, event === 'rotated' && this.causesOf(each).size === 0, at);
    }
  }

  revoke(key: KeyId, withGrace: boolean, at: Moment): void {
    if (this.worksUntil.has(key)) this.endGrace(key, at);
    else this.worksUntil.set(key, withGrace ? plus(at, 300 * SECOND) : at);
  }

  endGrace(key: KeyId, at: Moment): void {
    const until = this.worksUntil.get(key);
    if (until !== undefined && at < until) this.worksUntil.set(key, at);
  }

  /** What a request with this key meets. */
  answer(key: KeyId, now: Moment): string {
    const until = this.worksUntil.get(key);
    if (until !== undefined) return now < until ? 'admitted' : 'key_revoked';
    return this.causesOf(key).size > 0 ? 'key_suspended' : 'admitted';
  }
}

const PLACED: Readonly<Record<string, SuspensionCause>> = {
  payment_failed: 'payment_failure',
  abuse_detected: 'abuse',
  held: 'manual_hold',
};
const LIFTED: Readonly<Record<string, SuspensionCause>> = {
  invoice_paid: 'payment_failure',
  abuse_cleared: 'abuse',
  released: 'manual_hold',
};

type Scene = {
  readonly step: Step;
  readonly now: Moment;
  readonly before: Account;
  readonly account: Account;
  readonly log: readonly AuditEntry[];
  /** The entries that this step added. */
  readonly added: readonly AuditEntry[];
  readonly act: Act;
  readonly answer: Change | Refusal;
};

/** The account after each step, as a store would hold it; `swept` says when due work runs besides. */
function* played(plan: PlanName, some: readonly Step[], swept: (step: Step) => boolean): Generator<Scene> {
  let current = account({ plan });
  let log: readonly AuditEntry[] = [];
  let now = NOON;
  for (const [i, step] of some.entries()) {
    const before = current;
    const known = log.length;
    now = plus(now, step.wait);
    const act: Act = { actor: `actor-${i}`, reason: `reason-${i}`, at: now };
    if (swept(step)) {
      const due = settled(current, now);
      current = due.next;
      log = [...log, ...due.entries];
    }
    const answer = decideAt(current, now, doing(step.deed, step.pick, i, act));
    if (!isRefusal(answer)) {
      current = answer.next;
      log = [...log, ...answer.entries];
    }
    yield { step, now, before, account: current, log, added: log.slice(known), act, answer };
  }
}

/** Holds each scene of a random run to a rule. */
function always(rule: (scene: Scene) => void, numRuns = 150): void {
  fc.assert(
    fc.property(plans, steps, (plan, some) => {
      for (const scene of played(plan, some, (step) => step.sweep)) rule(scene);
    }),
    runs(numRuns),
  );
}

const isLive = (key: Account['keys'][number]) => key.state.status !== 'revoked';

describe('Whatever happens to an account, in any order and at any time', () => {
  it('a revoked key stays revoked, by the same cause and since the same moment (section 3.1, D22)', () => {
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

  it('a key that is not revoked is never admitted while a cause stands on it or above it (D20, D21)', () => {
    always(({ account: { keys, subscription }, now }) => {
      for (const { state } of keys) {
        if (state.status === 'revoked') continue;
        if (state.status === 'active' && subscription.standing.status === 'active') continue;
        expect(admittedByKey(derivedState(state, subscription.standing), now)).to.have.property(
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

  it('the live keys are at most the allowance and the open overlaps (D23)', () => {
    always(({ account: { keys, subscription } }) => {
      const live = keys.filter(isLive).length;
      const overlaps = keys.filter((key) => openPredecessor(keys, key) !== undefined).length;
      expect(live).to.be.at.most(PLANS[subscription.plan].keys + overlaps);
    });
  });

  it('no key stands in two overlaps (D23)', () => {
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

  it('its audit log alone tells which keys are admitted, refused as suspended, and for what (D20, D25)', () => {
    fc.assert(
      fc.property(plans, steps, (plan, some) => {
        const bystander = new Bystander();
        for (const { account: stored, now, added } of played(plan, some, (step) => step.sweep)) {
          for (const entry of added) bystander.read(entry);
          const { next, entries } = settled(stored, now);
          if (entries.length > 0) continue;
          for (const { id, state } of next.keys) {
            const counted = derivedState(state, next.subscription.standing);
            const answer = admittedByKey(counted, now);
            expect('refused' in answer ? answer.refused : 'admitted').to.equal(bystander.answer(id, now));
            if (counted.status === 'suspended') {
              expect(counted).to.deep.equal(standing(...bystander.causesOf(id)));
            }
          }
        }
      }),
      runs(250),
    );
  });

  it('every accepted change leaves one entry of its own, with actor, reason and time (D25)', () => {
    always(({ answer, added, act }) => {
      const own = added.filter(({ actor }) => actor !== 'service');
      expect(own).to.have.length(isRefusal(answer) ? 0 : 1);
      for (const entry of own) expect(entry).to.include(act);
    });
  });

  it('every key that changed its state is named by an entry, or its subscription is (D25)', () => {
    always(({ before, account: after, added }) => {
      const struck = new Set(added.map(({ key }) => key));
      for (const key of after.keys) {
        const was = before.keys.find(({ id }) => id === key.id);
        if (was !== undefined && JSON.stringify(was.state) === JSON.stringify(key.state)) continue;
        expect(struck.has(key.id) || struck.has(null)).to.equal(true);
      }
      if (before.subscription.standing.status !== after.subscription.standing.status) {
        expect(struck.has(null)).to.equal(true);
      }
    });
  });

  it('the times of its audit log never go back (D25)', () => {
    always(({ log }) => {
      const times = log.map(({ at }) => at);
      expect(times).to.deep.equal([...times].sort());
    });
  });

  it('it does not matter how often or how late due work runs (D23)', () => {
    fc.assert(
      fc.property(plans, steps, (plan, some) => {
        const ending = (swept: (step: Step) => boolean) => {
          const last = [...played(plan, some, swept)].at(-1);
          if (last === undefined) throw new Error('nothing was played');
          const { next, entries } = settled(last.account, plus(last.now, 2 * DAY));
          return {
            keys: next.keys,
            subscription: next.subscription.standing,
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

  it('the random runs reach what they are for: grace, overlaps retired by the service, refusals of each kind', () => {
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
