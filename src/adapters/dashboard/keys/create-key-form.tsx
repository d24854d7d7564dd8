import type { Account } from '../../../domain/accounts/account.js';
import { LABEL_LENGTH } from '../../../domain/keys/label.js';
import { FormToken } from '../page/layout.js';
import type { Viewer } from '../state.js';

/** The form for a new key, beside the heading of the page. */
export const CreateKeyForm = ({
  viewer,
  account,
}: {
  readonly viewer: Viewer;
  readonly account: Account;
}) => (
  <form method="post" action="/dashboard/keys" class="inline create-key">
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
);
