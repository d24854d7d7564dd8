import type { AccountId } from '../../domain/accounts/account.js';
import { type IssuedReference, issueReference } from '../../domain/billing/checkout-reference.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { ReferenceSigner } from '../ports/billing/reference-signer.js';
import type { Clock } from '../ports/clock.js';

/** Creates a checkout reference. Refuses `payments_not_configured`, `not_found`, `account_linked` and `account_deleted`. */
export const makeCheckoutReference = (parts: {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly clock: Clock;
  /** Null without a webhook secret: the service would not learn of the payment. */
  readonly referenceSigner: ReferenceSigner | null;
}) =>
  async function makeCheckoutReference(id: AccountId): Promise<IssuedReference | Refusal> {
    const { accounts, clock, referenceSigner } = parts;
    if (referenceSigner === null) return refuse('payments_not_configured');
    const account = await accounts.find(id);
    if (account === null) return { refused: 'not_found', what: 'account' };
    return issueReference(account, clock(), referenceSigner.sign);
  };

export type MakeCheckoutReference = ReturnType<typeof makeCheckoutReference>;
