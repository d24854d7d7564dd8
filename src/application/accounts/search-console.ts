import type { Account, AccountId } from '../../domain/accounts/account.js';
import { isProcessorId, readSearchText } from '../../domain/accounts/search-text.js';
import { accountOfReference } from '../../domain/billing/checkout-reference.js';
import type { Destination, DestinationId } from '../../domain/destinations/destination.js';
import { NO_TERMS } from '../../domain/feed/filters/item-terms.js';
import type { MarketRow } from '../../domain/feed/markets/market-row.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { KeyFormat } from '../../domain/keys/key-value.js';
import type { AccountLists } from '../ports/accounts/account-lists.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { ListedEvent, PaymentInbox } from '../ports/billing/payment-inbox.js';
import type { Destinations } from '../ports/destinations/destinations.js';
import type { FeedPages } from '../ports/feed/feed-store.js';
import type { MarketDirectory } from '../ports/feed/market-directory.js';
import { Unavailable } from '../unavailable.js';

const FOUND_MAX = 20;
const ONE_ITEM = { before: null, since: null, marketId: null, terms: NO_TERMS, count: 1 } as const;

export type ConsoleFindings = {
  readonly accounts: readonly Account[];
  readonly events: readonly ListedEvent[];
  readonly destinations: readonly Destination[];
  /** The ids of items. */
  readonly items: readonly string[];
  readonly markets: readonly MarketRow[];
};

const NOTHING: ConsoleFindings = { accounts: [], events: [], destinations: [], items: [], markets: [] };

type Parts = {
  readonly accounts: Accounts;
  readonly accountLists: AccountLists;
  readonly inbox: Pick<PaymentInbox, 'find' | 'naming'>;
  readonly destinations: Pick<Destinations, 'find'>;
  readonly feed: FeedPages;
  readonly marketDirectory: MarketDirectory;
  readonly keyFormat: KeyFormat;
};

/**
 * Finds what a text means: any id, a checkout reference, a part of an email address, or the beginning of a key. The ids of the service and those of
 * others have no common form, so each store is asked for the text as its id.
 */
export const searchConsole = (parts: Parts) =>
  async function searchConsole(typed: string): Promise<ConsoleFindings> {
    const search = readSearchText(typed, parts.keyFormat);
    if (search === null) return NOTHING;
    const { keyPrefix, id, emailPart } = search;
    const [ofKey, ofEmail, rest] = await Promise.all([
      parts.accounts.findByKeyPrefix(keyPrefix),
      emailPart === null ? [] : parts.accountLists.withEmailPart(emailPart, FOUND_MAX),
      id === null ? NOTHING : withId(parts, id),
    ]);
    const all = [...rest.accounts, ...ofEmail, ...ofKey];
    const accounts = [...new Map(all.map((account) => [account.id, account])).values()];
    return { ...rest, accounts: accounts.slice(0, FOUND_MAX) };
  };

export type SearchConsole = ReturnType<typeof searchConsole>;

async function withId(parts: Parts, id: string): Promise<ConsoleFindings> {
  const { accounts, accountLists, inbox, destinations, feed } = parts;
  const [account, ofKey, others, event, naming, destination, page, markets] = await Promise.all([
    accounts.find(accountOfReference(id) ?? (id as AccountId)),
    accounts.findByKey(id as KeyId),
    accountLists.withOtherId(id, FOUND_MAX),
    inbox.find(id),
    isProcessorId(id) ? inbox.naming(id, FOUND_MAX) : [],
    destinations.find(id as DestinationId),
    feed.page({ ...ONE_ITEM, newsId: id }),
    marketsWith(parts, id),
  ]);
  const known = [account, ofKey, ...others].filter((one) => one !== null);
  const items = page.items.map(() => id);
  return {
    accounts: known,
    events: event === null ? naming : [event],
    destinations: destination === null ? [] : [destination.destination],
    items,
    markets,
  };
}

/** None while the directory is not complete or cannot be read: the other findings are still useful. */
async function marketsWith({ marketDirectory }: Parts, id: string): Promise<readonly MarketRow[]> {
  const all = { queryWords: [], venue: null, kind: null, mainMarketId: null };
  const reading = { ...all, references: [id], sort: 'news' as const, after: null, count: FOUND_MAX };
  try {
    const { markets } = await marketDirectory.find(reading);
    return markets.map(({ row }) => row);
  } catch (fault) {
    if (fault instanceof Unavailable) return [];
    throw fault;
  }
}
