import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { DestinationAction } from '../../../src/domain/destinations/account-destinations.js';
import type { Destination, DestinationId, Sealed } from '../../../src/domain/destinations/destination.js';
import type { SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { aDestination, deliveryEntry } from '../destinations/destinations.js';
import { accepted } from '../objects/builders.js';
import type { Composed } from '../service/composed.js';
import { emailAddress } from '../service/sign-in.js';
import { LONG_LABEL, LONG_REASON, longEmail, wide } from './longest-texts.js';

/** Where destinations with the longest texts deliver to. */
const TARGETS = {
  webhook: {
    kind: 'webhook',
    url: 'sealed url' as Sealed,
    shownUrl: `${wide(250).toLowerCase()} …wwww`,
    secrets: { current: 'sealed secret' as Sealed, older: null },
  },
  email: { kind: 'email', address: emailAddress(longEmail('reader')), confirmedAt: null },
  feed: { kind: 'feed', tokenHash: 'hash' as SecretHash },
} as const satisfies Readonly<Record<string, Destination['target']>>;

export const LONG_DISABLING = { event: 'disabled', cause: 'operator', reason: LONG_REASON } as const;

/** Creates a destination with the longest texts and a delivery, and changes it. */
export async function longDestination(
  { parts }: Composed,
  account: AccountId,
  kind: keyof typeof TARGETS,
  action: DestinationAction | null = null,
): Promise<DestinationId> {
  const filter = `q=${wide(500)}&category=${wide(60)}`;
  const fresh = { ...aDestination(), label: LONG_LABEL, filter, target: TARGETS[kind] };
  const { id } = accepted(await parts.createDestination(account, fresh, LONG_REASON));
  if (action !== null) await parts.changeDestination(account, id, action, { actor: LONG_REASON });
  const newest = parts.feedBatches.newest();
  const outcome = { status: null, error: 'unreadable', durationMs: 123_456_789 } as const;
  const bounds = { from: newest, until: newest };
  await parts.destinations.note(deliveryEntry({ destination: id, bounds, ...outcome }));
  return id;
}
