import type { Account } from '../../../domain/accounts/account.js';
import type { Plan, Plans } from '../../../domain/billing/plan.js';
import { planWithMoreKeys } from '../../../domain/billing/plan-comparison.js';
import { keysInUse } from '../../../domain/keys/allowance.js';
import type { Refusal } from '../../../domain/refusal.js';
import { refusalText } from '../page/refusal-text.js';

type AllowanceProps = {
  readonly account: Account;
  readonly plan: Plan;
  readonly plans: Plans;
  /** Null if a key can be created. */
  readonly whyNotIssue: Refusal | null;
};

/** How many keys of the plan are in use, and why no other one can be created. Each fact once: the banner has the others. */
export const KeyAllowance = ({ account, plan, plans, whyNotIssue }: AllowanceProps) => (
  <p id="allowance">
    {keysInUse(account.keys)} of {plan.keys} {plan.keys === 1 ? 'key' : 'keys'} in use on the {plan.title}{' '}
    plan. <WhyNot {...{ plan, plans, whyNotIssue }} />
  </p>
);

const WhyNot = ({ plan, plans, whyNotIssue }: Omit<AllowanceProps, 'account'>) => {
  switch (whyNotIssue?.refused) {
    case undefined:
      return null;
    case 'allowance_exceeded': {
      const larger = planWithMoreKeys(plans, plan);
      return (
        <>
          Rotate a key to replace it, or revoke one first.
          {larger !== null && (
            <>
              {' '}
              <a href="/dashboard/subscription">
                The {larger.title} plan has {larger.keys} keys
              </a>
              .
            </>
          )}
        </>
      );
    }
    case 'too_many_keys':
      return <>{refusalText(whyNotIssue)}</>;
    default:
      return <>No key can be created until access is restored.</>;
  }
};
