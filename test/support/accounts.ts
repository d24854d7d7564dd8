import { randomUUID } from 'node:crypto';
import type { Accounts } from '../../src/application/ports/accounts.js';
import {
  type Account,
  type AccountId,
  type Change,
  type FreshKey,
  issueKey,
  openAccount,
} from '../../src/domain/account.js';
import type { KeyId } from '../../src/domain/api-key.js';
import type { KeyHash } from '../../src/domain/key-value.js';
import { PLANS, type PlanName } from '../../src/domain/plan.js';
import type { SubscriptionId } from '../../src/domain/subscription.js';
import { accepted, act } from './builders.js';

/** An account that nobody else has: tests share their stores. */
export const anOpening = (
  plan: PlanName = 'pro',
  identity: { readonly email?: string; readonly processorCustomerId?: string } = {},
): Change => {
  const id = randomUUID();
  return openAccount(
    {
      id: `acc_${id}` as AccountId,
      subscriptionId: `sub_${id}` as SubscriptionId,
      email: identity.email ?? `${id}@example.org`,
      plan,
      processorCustomerId: identity.processorCustomerId ?? null,
    },
    act(),
  );
};

/** A key that nobody else has. */
export const aFreshKey = (): FreshKey => {
  const id = randomUUID();
  return { id: `key_${id}` as KeyId, hash: `hash_${id}` as KeyHash, prefix: 'svc_abcdefgh', label: null };
};

/** An account in the store with so many active keys. */
export async function anAccount(accounts: Accounts, keys = 1, plan: PlanName = 'pro'): Promise<Account> {
  let account = accepted(await accounts.open(anOpening(plan)));
  for (let i = 0; i < keys; i += 1) {
    account = accepted(
      await accounts.change(account.id, (found) => issueKey(found, aFreshKey(), PLANS[plan], act())),
    );
  }
  return account;
}

/** The key of an account that has one or more. */
export function firstKey({ keys: [key] }: Account) {
  if (key === undefined) throw new Error('the account has no key');
  return key;
}
