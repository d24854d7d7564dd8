import type { Account } from '../../../domain/accounts/account.js';
import { LABEL_LENGTH } from '../../../domain/keys/label.js';
import type { Moment } from '../../../domain/moment.js';
import { FormToken } from '../page/layout.js';
import type { Viewer } from '../state.js';
import { AddressesField, ExpiryField } from './key-fields.js';
import type { TypedKey } from './typed-key.js';

type CreateKeyProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  /** What was typed before. */
  readonly typed: TypedKey;
  /** The address of the visitor; null if it is not known. */
  readonly here: string | null;
  readonly now: Moment;
};

/** The form for a new key, beside the heading of the page. */
export const CreateKeyForm = ({ viewer, account, typed, here, now }: CreateKeyProps) => (
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
      value={typed.label}
    />
    <button type="submit" aria-describedby="allowance">
      Create key
    </button>
    <details open={typed.expiry !== '' || typed.addresses !== ''}>
      <summary>Expiry and allowed addresses (optional)</summary>
      <div class="key-settings">
        <ExpiryField typed={typed} now={now} />
        <AddressesField typed={typed} here={here} />
      </div>
    </details>
  </form>
);
