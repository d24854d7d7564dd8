import fc from 'fast-check';
import type { Account, AuditContext, AuditEntry, Change } from '../../../src/domain/accounts/account.js';
import { applyDue, applyDueAndDecide } from '../../../src/domain/accounts/account-due.js';
import { applyToSubscription, cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS, type PlanName } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import type { CauseEvent, SuspensionCause } from '../../../src/domain/keys/suspension.js';
import { DAY, HOUR, MINUTE, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.js';
import { account, freshKey, keyId, NOON, runs, used } from './builders.js';

type Deed = 'issue' | 'rotate' | 'retire' | 'revoke' | 'hold' | 'release' | CauseEvent | 'cancel';
export type Step = {
  readonly wait: number;
  readonly deed: Deed;
  /** The index of a key, counted from the last and modulo their number. */
  readonly pick: number;
  /** Whether due work runs before the action. */
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
export const steps = fc.array(
  fc.record<Step>({ wait: waits, deed: deeds, pick: fc.nat(3), sweep: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  },
);
export const plans = fc.constantFrom<PlanName>('free', 'builder', 'pro');

function changeBy(deed: Deed, pick: number, i: number, context: AuditContext) {
  return (current: Account): Change | Refusal => {
    const fresh = freshKey(`key-${i}`);
    const picked = current.keys.at(-1 - (pick % Math.max(1, current.keys.length)))?.id ?? keyId('none');
    switch (deed) {
      case 'issue':
        return issueKey(current, fresh, PLANS[current.subscription.plan], context);
      case 'rotate':
        return rotatedAndUsed(rotateKey(current, picked, fresh, context), fresh.id, pick, context.at);
      case 'retire':
        return revokeKey(current, picked, 'rotation', context);
      case 'revoke':
        return revokeKey(current, picked, 'manual', context);
      case 'hold':
        return applyOperatorEvent(current, picked, 'held', context);
      case 'release':
        return applyOperatorEvent(current, picked, 'released', context);
      case 'cancel':
        return cancelSubscription(current, context);
      default:
        return applyToSubscription(current, deed, context);
    }
  };
}

/** Two of three successors are used at once; the others never. */
function rotatedAndUsed(
  change: Change | Refusal,
  successor: KeyId,
  pick: number,
  at: Moment,
): Change | Refusal {
  return isRefusal(change) || pick % 3 === 2 ? change : { ...change, next: used(change.next, at, successor) };
}

/** Derives the state of an account from its audit log alone, for comparison with the domain. */
export class Bystander {
  readonly causes = new Map<KeyId | null, Set<SuspensionCause>>([[null, new Set()]]);
  /** The revoked keys, each with the end of its grace. */
  readonly worksUntil = new Map<KeyId, Moment>();

  causesOf(key: KeyId): ReadonlySet<SuspensionCause> {
    return new Set([...(this.causes.get(key) ?? []), ...(this.causes.get(null) ?? [])]);
  }

  read({ event, key, at }: AuditEntry): void {
    if (event === 'issued') this.causes.set(key, new Set());
    const addedCause = ADDED_CAUSE[event];
    const removedCause = REMOVED_CAUSE[event];
    const revoked = key !== null && this.worksUntil.has(key);
    if (addedCause !== undefined && !revoked) this.causes.get(key)?.add(addedCause);
    if (removedCause !== undefined) this.causes.get(key)?.delete(removedCause);
    const applied = key === null ? [...this.causes.keys()].filter((each) => each !== null) : [key];
    if (addedCause !== undefined) for (const each of applied) this.endGrace(each, at);
    if (event === 'rotated' || event === 'revoked' || event === 'cancelled') {
      for (const each of applied)
        this.revoke(each, event === 'rotated' && this.causesOf(each).size === 0, at);
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

  /** The outcome of a request with this key. */
  answer(key: KeyId, now: Moment): string {
    const until = this.worksUntil.get(key);
    if (until !== undefined) return now < until ? 'admitted' : 'key_revoked';
    return this.causesOf(key).size > 0 ? 'key_suspended' : 'admitted';
  }
}

const ADDED_CAUSE: Readonly<Record<string, SuspensionCause>> = {
  payment_failed: 'payment_failure',
  abuse_detected: 'abuse',
  held: 'manual_hold',
};
const REMOVED_CAUSE: Readonly<Record<string, SuspensionCause>> = {
  invoice_paid: 'payment_failure',
  abuse_cleared: 'abuse',
  released: 'manual_hold',
};

export type Scene = {
  readonly step: Step;
  readonly now: Moment;
  readonly before: Account;
  readonly account: Account;
  readonly log: readonly AuditEntry[];
  /** The entries that this step added. */
  readonly added: readonly AuditEntry[];
  readonly context: AuditContext;
  readonly answer: Change | Refusal;
};

/** Yields the stored account after each step. `swept` decides before which steps due work runs. */
export function* played(
  plan: PlanName,
  some: readonly Step[],
  swept: (step: Step) => boolean,
): Generator<Scene> {
  let current = account({ plan });
  let log: readonly AuditEntry[] = [];
  let now = NOON;
  for (const [i, step] of some.entries()) {
    const before = current;
    const known = log.length;
    now = plus(now, step.wait);
    const context: AuditContext = { actor: `actor-${i}`, reason: `reason-${i}`, at: now };
    if (swept(step)) {
      const due = applyDue(current, now);
      current = due.next;
      log = [...log, ...due.entries];
    }
    const answer = applyDueAndDecide(current, now, changeBy(step.deed, step.pick, i, context));
    if (!isRefusal(answer)) {
      current = answer.next;
      log = [...log, ...answer.entries];
    }
    yield { step, now, before, account: current, log, added: log.slice(known), context, answer };
  }
}

/** Checks a rule after each step of random sequences. */
export function always(rule: (scene: Scene) => void, numRuns = 150): void {
  fc.assert(
    fc.property(plans, steps, (plan, some) => {
      for (const scene of played(plan, some, (step) => step.sweep)) rule(scene);
    }),
    runs(numRuns),
  );
}

export const isLive = (key: Account['keys'][number]) => key.state.status !== 'revoked';
