import type { AccountId } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import type { Reason } from '../../domain/accounts/reason.js';
import { applyToSubscription } from '../../domain/billing/account-subscription.js';
import { applyOperatorEvent } from '../../domain/keys/account-keys.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { OperatorEvent } from '../../domain/keys/suspension.js';
import { changeByKey } from '../keys/change-by-key.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';

/**
 * Holds a key or a subscription, releases it, or ends a suspension for abuse. `domain/keys/suspension.ts` has the
 * rules.
 */
export class Hold {
  readonly #accounts: Accounts;
  readonly #clock: Clock;

  constructor({ accounts, clock }: { readonly accounts: Accounts; readonly clock: Clock }) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  onKey(id: KeyId, event: OperatorEvent, reason: Reason | null, actor: string) {
    const context = { actor, reason, at: this.#clock() };
    return changeByKey(this.#accounts, id, context.at, (account) =>
      applyOperatorEvent(account, id, event, context),
    );
  }

  onSubscription(id: AccountId, event: OperatorEvent, reason: Reason | null, actor: string) {
    const context = { actor, reason, at: this.#clock() };
    return this.#accounts.change(id, (found) =>
      applyDueAndDecide(found, context.at, (account) => applyToSubscription(account, event, context)),
    );
  }
}
