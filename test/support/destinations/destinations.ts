import { randomUUID } from 'node:crypto';
import type {
  DeliveryStep,
  StoredDestination,
} from '../../../src/application/ports/destinations/destinations.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { DeliveryEntry } from '../../../src/domain/destinations/delivery.js';
import type {
  DeliveryId,
  Destination,
  DestinationId,
  Sealed,
} from '../../../src/domain/destinations/destination.js';
import { ACTIVE } from '../../../src/domain/destinations/destination-state.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { NOON } from '../objects/builders.js';

export const aDestination = (changes: Partial<Destination> = {}): Destination => ({
  id: `dst_${randomUUID()}` as DestinationId,
  account: 'acc_1' as AccountId,
  label: 'Desk' as Label,
  filter: '',
  target: {
    kind: 'webhook',
    url: 'sealed url' as Sealed,
    shownUrl: 'hooks.example.org …4f2a',
    secrets: { current: 'sealed secret' as Sealed, older: null },
  },
  state: ACTIVE,
  createdAt: NOON,
  testedAt: NOON,
  ...changes,
});

export const deliveryEntry = (changes: Partial<DeliveryEntry> = {}): DeliveryEntry => ({
  destination: `dst_${randomUUID()}` as DestinationId,
  id: 'msg_1' as DeliveryId,
  at: NOON,
  kind: 'changes',
  bounds: null,
  messages: 3,
  status: 204,
  error: null,
  durationMs: 12,
  ...changes,
});

/** A step that changes nothing of a stored destination, unless `changes` says otherwise. */
export const stepOf = (
  { destination, progress, version }: StoredDestination,
  changes: Partial<DeliveryStep> = {},
): DeliveryStep => ({
  id: destination.id,
  account: destination.account,
  version,
  state: destination.state,
  progress,
  entry: null,
  notices: [],
  ...changes,
});
