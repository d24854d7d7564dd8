import type { Parts } from '../../composition/compose.js';
import type { AccountId } from '../../domain/accounts/account.js';
import type { PlanName } from '../../domain/billing/plan.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import { isRefusal } from '../../domain/refusal.js';

/** An account of the demo, with the value of its key. */
export type OpenedAccount = {
  readonly id: AccountId;
  readonly email: string;
  readonly keyId: KeyId;
  readonly key: string;
};

/** Opens an account with one key for each plan. */
export async function openDemoAccounts(parts: Parts): Promise<Readonly<Record<PlanName, OpenedAccount>>> {
  const open = (plan: PlanName) => openDemoAccount(parts, plan);
  return { free: await open('free'), builder: await open('builder'), pro: await open('pro') };
}

async function openDemoAccount({ openAccount, issueKey }: Parts, plan: PlanName): Promise<OpenedAccount> {
  const email = `${plan}@demo.example`;
  const account = await openAccount({ email, plan, processorCustomerId: `cus_demo_${plan}` }, 'demo');
  const issued = isRefusal(account) ? account : await issueKey(account.id, null, 'demo');
  if (isRefusal(issued)) throw new Error(`cannot issue the ${plan} key of the demo: ${issued.refused}`);
  return { id: issued.account.id, email, keyId: issued.key.id, key: issued.value };
}
