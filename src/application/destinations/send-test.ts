import type { AccountId } from '../../domain/accounts/account.js';
import { type Attempt, isDelivery } from '../../domain/destinations/delivery.js';
import type { DeliveryId, Destination, DestinationId } from '../../domain/destinations/destination.js';
import { positionToken } from '../../domain/feed/position.js';
import { DESTINATION_TESTS, TESTS_OF_HOST } from '../../domain/limits/attempt.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { CountAttempt } from '../limits/count-attempt.js';
import type { Clock } from '../ports/clock.js';
import type { Send } from '../ports/destinations/deliver.js';
import type { Destinations } from '../ports/destinations/destinations.js';
import type { FeedBatches } from '../ports/destinations/feed-batches.js';
import { type ChangeDestination, destinationOf } from './change-destination.js';

type Parts = {
  readonly destinations: Destinations;
  readonly changeDestination: ChangeDestination;
  readonly countAttempt: CountAttempt;
  readonly feedBatches: Pick<FeedBatches, 'newest'>;
  readonly send: Send;
  readonly newDeliveryId: () => DeliveryId;
  readonly clock: Clock;
};

/**
 * Sends a test: a delivery without changes. When it is answered for the first time, the destination is enabled (D71); a failing one
 * is then tried at once. Tests are
 * limited for each account, and for each host over all accounts, so that nobody can flood a host.
 */
export const sendTest = (parts: Parts) =>
  async function sendTest(account: AccountId, id: DestinationId, actor: string): Promise<Attempt | Refusal> {
    const { destinations, send, clock, newDeliveryId, feedBatches, changeDestination } = parts;
    const found = await destinationOf(destinations, account, id);
    if (isRefusal(found)) return found;
    const { destination } = found;
    // People would get nothing: a test has no changes.
    if (!(destination.target.kind in TESTED))
      return { refused: 'not_found', what: 'test of such a destination' };
    const refusal = await refusedTest(parts, destination);
    if (refusal !== null) return refusal;
    const [at, delivery] = [clock(), newDeliveryId()];
    const position = positionToken(feedBatches.newest());
    const attempt = await send(destination, { id: delivery, content: 'test', at, messages: [], position });
    const { status, error, durationMs } = attempt;
    const about = { destination: id, id: delivery, at, kind: 'test', bounds: null, messages: 0 } as const;
    await destinations.note({ ...about, status, error, durationMs });
    const { testedAt, state } = destination;
    if (isDelivery(attempt) && (testedAt === null || state.status === 'failing'))
      await changeDestination(account, id, { event: 'tested' }, { actor });
    return attempt;
  };

/** The kinds that have tests. */
const TESTED = { webhook: true, slack: true } as const;

export type SendTest = ReturnType<typeof sendTest>;

async function refusedTest(
  { countAttempt }: Pick<Parts, 'countAttempt'>,
  { account, target }: Destination,
): Promise<Refusal<'rate_limited'> | null> {
  const wait = await countAttempt(`destination-tests/${account}`, DESTINATION_TESTS);
  const host = 'shownUrl' in target ? hostOf(target.shownUrl) : target.kind;
  const waitForHost = wait ?? (await countAttempt(`destination-tests-of/${host}`, TESTS_OF_HOST));
  return waitForHost === null
    ? null
    : { refused: 'rate_limited', violated: ['destination_tests'], retryAfterSeconds: waitForHost };
}

/** The host of a shown URL, without its port. */
const hostOf = (shown: string): string => new URL(`https://${shown.split(' ')[0] ?? ''}`).hostname;
