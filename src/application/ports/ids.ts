import type { AccountId } from '../../domain/accounts/account.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { DeliveryId, DestinationId } from '../../domain/destinations/destination.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { KeyHash, KeyValue } from '../../domain/keys/key-value.js';

/** The source of random ids and keys. No two results are ever the same. */
export interface Ids {
  account(): AccountId;
  subscription(): SubscriptionId;
  key(): KeyId;
  destination(): DestinationId;
  delivery(): DeliveryId;
  /** 32 random bytes as 43 characters of URL-safe base64 (contract section 5.2). */
  keySuffix(): string;
}

/** The one-way hash of a key. Only the response to the creation of a key has its value (contract section 2.12). */
export type HashKey = (value: KeyValue) => KeyHash;
