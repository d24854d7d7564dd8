import type { AccountId } from '../../domain/accounts/account.js';
import { whyNotSent } from '../../domain/destinations/account-destinations.js';
import { BATCH_LIMITS, permitsFor } from '../../domain/destinations/batch-limits.js';
import type { Attempt, DeliveryEntry } from '../../domain/destinations/delivery.js';
import type { DeliveryId, Destination, DestinationId } from '../../domain/destinations/destination.js';
import { positionToken } from '../../domain/feed/position.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import { whyAccessRefused } from '../../domain/limits/admission.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { TakeReplayPermit } from '../limits/take-replay-permit.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Send } from '../ports/destinations/deliver.js';
import type { Destinations } from '../ports/destinations/destinations.js';
import type { FeedBatches } from '../ports/destinations/feed-batches.js';
import { destinationOf } from './change-destination.js';

type Parts = {
  readonly destinations: Destinations;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly takeReplayPermit: TakeReplayPermit;
  readonly feedBatches: FeedBatches;
  readonly readFilter: (filter: string) => StreamFilter | null;
  readonly send: Send;
  readonly clock: Clock;
};

/**
 * Sends a listed delivery once more: the changes between its bounds, without those that were superseded since, under its id, so
 * that a receiver that has it can leave it out (D68). It costs permits like a replay (D71), and does not move the destination.
 */
export const deliverAgain = (parts: Parts) =>
  async function deliverAgain(
    account: AccountId,
    id: DestinationId,
    delivery: DeliveryId,
  ): Promise<Attempt | Refusal> {
    const { destinations, send, clock } = parts;
    const found = await sendableOf(destinations, account, id);
    if (isRefusal(found)) return found;
    const listed = (await destinations.deliveries(id)).find((entry) => entry.id === delivery);
    const messages = listed === undefined ? null : await changesOf(parts, found.destination, listed);
    if (listed?.bounds == null || messages === null) return { refused: 'not_found', what: 'delivery' };
    const refusal = await refusedPermits(parts, account, messages.length);
    if (refusal !== null) return refusal;
    const at = clock();
    const content = listed.kind === 'reset' ? 'reset' : 'changes';
    const position = positionToken(listed.bounds.until);
    const attempt = await send(found.destination, {
      id: delivery,
      content,
      at,
      messages,
      position,
    });
    await destinations.note(entryOf(listed, attempt, at, messages.length));
    return attempt;
  };

export type DeliverAgain = ReturnType<typeof deliverAgain>;

async function sendableOf(destinations: Destinations, account: AccountId, id: DestinationId) {
  const found = await destinationOf(destinations, account, id);
  return isRefusal(found) ? found : (whyNotSent(found.destination) ?? found);
}

/** Null if the log does not have them any more. */
async function changesOf(
  { feedBatches, readFilter }: Pick<Parts, 'feedBatches' | 'readFilter'>,
  { filter: text }: Destination,
  { bounds }: DeliveryEntry,
): Promise<readonly Buffer[] | null> {
  const filter = readFilter(text);
  if (bounds === null || filter === null) return null;
  const { from, until } = bounds;
  if (!(await feedBatches.isValid(from)) || !(await feedBatches.isValid(until))) return null;
  // The filter may have been another one then: no more than the largest batch.
  const found = await feedBatches.collect(filter, from, { ...BATCH_LIMITS.email, until });
  return found === 'gone' || found.until.n < until.n ? null : found.messages;
}

const entryOf = (
  listed: DeliveryEntry,
  { status, error, durationMs }: Attempt,
  at: DeliveryEntry['at'],
  messages: number,
): DeliveryEntry => ({ ...listed, kind: 'again', at, messages, status, error, durationMs });

async function refusedPermits(
  { accounts, takeReplayPermit, clock }: Parts,
  id: AccountId,
  messages: number,
): Promise<Refusal | null> {
  const owner = await accounts.find(id);
  if (owner === null) return { refused: 'not_found', what: 'account' };
  const refusal = whyAccessRefused(owner.subscription, clock());
  if (refusal !== null) return refusal;
  for (let taken = 0; taken < permitsFor(messages); taken += 1) {
    const permit = await takeReplayPermit(owner.subscription, owner.keys[0]?.id ?? null);
    if (permit === 'granted') continue;
    if (isRefusal(permit)) return permit;
    return { refused: 'rate_limited', violated: permit.violated, retryAfterSeconds: permit.waitSeconds };
  }
  return null;
}
