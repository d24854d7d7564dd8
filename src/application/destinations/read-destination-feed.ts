import type { Account } from '../../domain/accounts/account.js';
import type { Destination } from '../../domain/destinations/destination.js';
import { isDelivered } from '../../domain/destinations/destination-state.js';
import type { FeedItem } from '../../domain/feed/feed-item.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import type { Refusal } from '../../domain/refusal.js';
import type { SecretHash } from '../../domain/sign-in/sign-in.js';
import type { FeedReading, ReadFeed } from '../feed/read-feed.js';
import type { AdmitReader } from '../limits/admit-reader.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Destinations } from '../ports/destinations/destinations.js';
import type { RenderedItem } from '../ports/feed/feed-store.js';

/** The newest items that a feed has. */
const ITEMS = 50;

type Parts = {
  readonly destinations: Pick<Destinations, 'findByToken'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly admitReader: AdmitReader;
  readonly readFeed: ReadFeed;
  readonly readFilter: (filter: string) => StreamFilter | null;
};

/** The newest items that pass the filter of a feed. */
export type DestinationFeed = Pick<FeedReading, 'bytesOf'> & {
  readonly destination: Destination;
  readonly items: readonly RenderedItem[];
};

/**
 * Reads the feed with this token (D67). A poll takes a permit, which `answer` gives back by returning `free`: the reader has these
 * items. Refuses what a request with a key of the subscription would be refused.
 */
export const readDestinationFeed = (parts: Parts) =>
  async function readDestinationFeed(
    token: SecretHash,
    answer: (feed: DestinationFeed) => 'paid' | 'free',
  ): Promise<Refusal | null> {
    const found = await parts.destinations.findByToken(token);
    const destination = found?.destination ?? null;
    const filter = destination === null ? null : parts.readFilter(destination.filter);
    if (destination === null || filter === null || !isDelivered(destination.state)) return NO_SUCH_FEED;
    const owner = await parts.accounts.find(destination.account);
    if (owner === null) return NO_SUCH_FEED;
    return parts.admitReader(owner, async () =>
      answer({ destination, ...(await itemsOf(parts.readFeed, filter, owner)) }),
    );
  };

export type ReadDestinationFeed = ReturnType<typeof readDestinationFeed>;

const NO_SUCH_FEED = { refused: 'not_found', what: 'feed' } as const;

/** A page has one sub-market at most: of several, the items are chosen from the newest ones. */
async function itemsOf(
  readFeed: ReadFeed,
  { newsId, marketIds, terms }: StreamFilter,
  { subscription }: Account,
): Promise<Pick<DestinationFeed, 'items' | 'bytesOf'>> {
  const [marketId = null, ...others] = marketIds ?? [];
  const query = { limit: ITEMS, cursor: null, since: null, newsId, terms };
  if (marketIds === null || others.length === 0) {
    const { page, bytesOf } = await readFeed({ ...query, marketId }, subscription.id);
    return { items: page.items, bytesOf };
  }
  const { page, bytesOf } = await readFeed({ ...query, marketId: null }, subscription.id);
  const items = page.items.filter((item) => hasOneOf(item, marketIds));
  return { items, bytesOf };
}

function hasOneOf({ json }: RenderedItem, marketIds: ReadonlySet<string>): boolean {
  const { related_markets } = JSON.parse(json.toString('utf8')) as FeedItem;
  return related_markets.some(({ sub_markets }) =>
    sub_markets.some(({ sub_market_id: id }) => marketIds.has(id)),
  );
}
