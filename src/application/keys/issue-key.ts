import type { AccountId } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import type { Reason } from '../../domain/accounts/reason.js';
import type { Plans } from '../../domain/billing/plan.js';
import { issueKey as issuing, keyOf, whyOutdated } from '../../domain/keys/account-keys.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { KeyControls } from '../../domain/keys/key-controls.js';
import type { Label } from '../../domain/keys/label.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import { knownPlan } from '../billing/known-plan.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { IssuedKey, MakeKey } from './fresh-key.js';

type Issuing = {
  /** The newest key that the caller knows, null for none. Undefined: newer ones are not looked for. */
  readonly seen?: KeyId | null;
  /** Why an operator issues it. */
  readonly reason?: Reason | null;
  /** What its owner sets at once (D72). */
  readonly controls?: KeyControls | undefined;
};

/**
 * Issues a key within the allowance of the account (contract section 5.3, D23). If there is a newer key than `seen`, the use case
 * refuses `changed_meanwhile`.
 */
export const issueKey = (parts: {
  readonly accounts: Accounts;
  readonly makeKey: MakeKey;
  readonly clock: Clock;
  readonly plans: Plans;
}) =>
  async function issueKey(
    id: AccountId,
    label: Label | null,
    actor: string,
    { seen, reason = null, controls }: Issuing = {},
  ): Promise<IssuedKey | Refusal> {
    const context = { actor, reason, at: parts.clock() };
    const { fresh, value } = parts.makeKey(label);
    const account = await parts.accounts.change(id, (found) =>
      applyDueAndDecide(found, context.at, (current) => {
        const outdated = seen === undefined ? null : whyOutdated(current, seen);
        const plan = knownPlan(parts.plans, current.subscription.plan);
        return outdated ?? issuing(current, fresh, plan, context, controls);
      }),
    );
    if (isRefusal(account)) return account;
    const key = keyOf(account, fresh.id);
    return isRefusal(key) ? key : { account, key, value };
  };

export type IssueKey = ReturnType<typeof issueKey>;
