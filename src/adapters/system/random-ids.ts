import { hash, randomBytes } from 'node:crypto';
import type { HashKey, Ids } from '../../application/ports/ids.js';
import type { Secrets } from '../../application/ports/secrets.js';
import type { AccountId } from '../../domain/accounts/account.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { DeliveryId, DestinationId } from '../../domain/destinations/destination.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import type { SecretHash } from '../../domain/sign-in/sign-in.js';

const KEY_BYTES = 32;
const ID_BYTES = 12;

const identifier = (kind: string): string => `${kind}_${randomBytes(ID_BYTES).toString('hex')}`;

export const randomIds: Ids = {
  account: () => identifier('acc') as AccountId,
  subscription: () => identifier('sub') as SubscriptionId,
  key: () => identifier('key') as KeyId,
  destination: () => identifier('dst') as DestinationId,
  delivery: () => identifier('msg') as DeliveryId,
  keySuffix: () => randomBytes(KEY_BYTES).toString('base64url'),
};

/** Keys have 256 random bits. A fast hash without a salt is therefore safe against guesses (D17). */
export const sha256OfKey: HashKey = (value) => hash('sha256', value, 'base64url') as KeyHash;

/** Secrets are generated and hashed like keys. */
export const randomSecrets: Secrets = {
  make: () => randomBytes(KEY_BYTES).toString('base64url'),
  hash: (secret) => hash('sha256', secret, 'base64url') as SecretHash,
};
