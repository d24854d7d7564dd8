import type { AccountId } from '../accounts/account.js';
import type { SubscriptionId } from '../billing/subscription.js';
import type { KeyId } from '../keys/api-key.js';
import type { SuspensionCause } from '../keys/suspension.js';
import type { Refusal } from '../refusal.js';
import type { Policy } from './rate-limit.js';

/** The requests of a sandbox key, and those of a client address with the public one (D77). */
export const SANDBOX_POLICY: Policy = { name: 'minute', quota: 60, seconds: 60 };

/** The streams that one of them may have open at once in a process. */
export const SANDBOX_STREAMS = 2;

/** The open streams of a process with sandbox keys, all together: they must leave room for those of customers. */
export const SANDBOX_STREAMS_MAX = 200;

/** Who uses the sandbox, and by what it is counted. It has no subscription: its name stands in for one. */
export type SandboxUser = { readonly key: KeyId; readonly subscription: SubscriptionId };

export const accountInSandbox = (account: AccountId): SandboxUser => ({
  key: `sandbox:${account}` as KeyId,
  subscription: `sandbox:${account}` as SubscriptionId,
});

/** The user of the public key at a client address. Resumed streams are counted by the key, so it is that of the address. */
export const addressInSandbox = (address: string): SandboxUser => ({
  key: `sandbox:public:${address}` as KeyId,
  subscription: `sandbox:public:${address}` as SubscriptionId,
});

/** Unpaid invoices close the feed of the customer, and not the sandbox. */
const CLOSING: readonly SuspensionCause[] = ['abuse', 'manual_hold'];

/** Why an account may not use the sandbox, by the causes on its subscription; null if it may. */
export function whySandboxRefused(causes: readonly SuspensionCause[]): Refusal<'key_suspended'> | null {
  const closing = causes.filter((cause) => CLOSING.includes(cause));
  return closing.length === 0 ? null : { refused: 'key_suspended', causes: closing };
}
