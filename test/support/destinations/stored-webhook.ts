import { expect } from 'chai';
import type { Knex } from 'knex';
import { sealingOf } from '../../../src/adapters/destinations/sealing.js';
import { webhookSigner } from '../../../src/adapters/destinations/webhook-signature.js';
import { PostgresDestinations } from '../../../src/adapters/postgres/destinations/postgres-destinations.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { DestinationId } from '../../../src/domain/destinations/destination.js';
import { LOCAL_RECEIVERS } from './composed-destinations.js';
import { aDestination } from './destinations.js';

/** A webhook in Postgres, and its secret. */
export type StoredWebhook = { readonly id: DestinationId; readonly secret: string };

/** Stores an active webhook without a test of it: many on one host have no more than 30 an hour (D71). */
export async function storeWebhook(db: Knex, owner: AccountId, url: string): Promise<StoredWebhook> {
  const sealing = sealingOf([LOCAL_RECEIVERS.SECRETS_KEY], { isStored: true }) ?? expect.fail();
  const { id } = aDestination();
  const secret = webhookSigner.makeSecret();
  const seal = (text: string, field: 'url' | 'secret') => sealing.seal(text, { destination: id, field });
  const secrets = { current: seal(secret, 'secret'), older: null };
  const target = { kind: 'webhook', url: seal(url, 'url'), shownUrl: '127.0.0.1', secrets } as const;
  const next = aDestination({ id, account: owner, target });
  await new PostgresDestinations(db).change(owner, () => ({ id, next, entries: [] }));
  return { id, secret };
}
