import type { Account } from '../../../domain/accounts/account.js';
import type { Plan } from '../../../domain/billing/plan.js';
import { keysInUse } from '../../../domain/keys/allowance.js';
import { LABEL_LENGTH } from '../../../domain/keys/label.js';
import type { Refusal } from '../../../domain/refusal.js';
import { FormToken } from '../page/layout.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { Viewer } from '../state.js';

type CreateKeyFormProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly plan: Plan;
  /** Null if a key can be created. */
  readonly whyNotIssue: Refusal | null;
};

/** The form for a new key, or the reason why none can be created. */
export const CreateKeyForm = ({ viewer, account, plan, whyNotIssue }: CreateKeyFormProps) => {
  const inUse = keysInUse(account.keys);
  return (
    <section aria-labelledby="new-key">
      <h2 id="new-key">New key</h2>
      <p id="allowance">
        {inUse} of {plan.keys} {plan.keys === 1 ? 'key' : 'keys'} in use on the {plan.title} plan.
        {whyNotIssue !== null &&
          ` You cannot create a key right now. ${accountRefusalText(whyNotIssue, account)}`}
      </p>
      {whyNotIssue === null && (
        <form method="post" action="/dashboard/keys" class="inline">
          <FormToken viewer={viewer} />
          <input type="hidden" name="seen" value={account.keys.at(-1)?.id ?? ''} />
          <label for="label">Label (optional)</label>
          <input
            id="label"
            name="label"
            maxLength={LABEL_LENGTH.maximum}
            placeholder="production"
            autocomplete="off"
          />
          <button type="submit" aria-describedby="allowance">
            Create key
          </button>
        </form>
      )}
    </section>
  );
};
