import type { AccountId } from '../../domain/accounts/account.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { KeyHash, KeyValue } from '../../domain/keys/key-value.js';

/** Where randomness comes from; no two answers are ever the same. */
export interface Ids {
  account(): AccountId;
  subscription(): SubscriptionId;
  key(): KeyId;
  /** 32 random bytes as 43 characters of URL-safe base64 (contract section 5.2). */
  keySuffix(): string;
}

/** The one-way hash that stands for a key everywhere but in the answer that creates it (contract section 2.12). */
export type HashKey = (value: KeyValue) => KeyHash;
