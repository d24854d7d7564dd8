import type { Stores } from '../../application/ports/stores.js';
import { fromEpochMillis, type Moment } from '../../domain/moment.js';
import { MemoryAccountDeletions } from './accounts/memory-account-deletions.js';
import { MemoryAccountLists } from './accounts/memory-account-lists.js';
import { MemoryAccountStatistics } from './accounts/memory-account-statistics.js';
import { MemoryAccounts } from './accounts/memory-accounts.js';
import { MemoryOutbox } from './accounts/memory-outbox.js';
import { MemoryPaymentInbox } from './billing/memory-payment-inbox.js';
import { MemoryDestinations } from './destinations/memory-destinations.js';
import { MemoryFeedStore } from './feed/memory-feed-store.js';
import { MemoryItemOrders } from './feed/memory-item-orders.js';
import { MemoryMarkets } from './feed/memory-markets.js';
import { MemoryUnindexedItems } from './feed/memory-unindexed-items.js';
import { MemoryGate } from './keys/memory-gate.js';
import { MemoryKeyUses } from './keys/memory-key-uses.js';
import { MemorySandboxKeys } from './keys/memory-sandbox-keys.js';
import { MemoryAccountUsage } from './limits/memory-account-usage.js';
import { MemoryRequestLogs } from './limits/memory-request-logs.js';
import { MemoryUsageHistory } from './limits/memory-usage-history.js';
import { MemoryExpiredRows } from './memory-expired-rows.js';
import { MemoryHeldLeases } from './memory-held-leases.js';
import { MemoryLeases } from './memory-leases.js';
import { MemoryIdentities } from './sign-in/memory-identities.js';
import { MemoryOneTimeTokens } from './sign-in/memory-one-time-tokens.js';
import { MemorySessions } from './sign-in/memory-sessions.js';

/** Stores of one process, for demos and tests. Their content is lost when it ends. */
export function memoryStores(clock: () => Moment = () => fromEpochMillis(Date.now())) {
  const outbox = new MemoryOutbox();
  const feed = new MemoryFeedStore(undefined, clock);
  const accounts = new MemoryAccounts(outbox);
  const markets = new MemoryMarkets(feed.log.newest);
  const heldLeases = new MemoryHeldLeases();
  const newest = () => feed.log.newest;
  const stores = {
    accounts,
    destinations: new MemoryDestinations({ accounts, outbox, heldLeases, newest, clock }),
    feed,
    feedPages: feed,
    feedPast: feed.past,
    itemOrders: new MemoryItemOrders(),
    gate: new MemoryGate(accounts),
    identities: new MemoryIdentities(accounts),
    inbox: new MemoryPaymentInbox(accounts),
    keyUses: new MemoryKeyUses(),
    outbox,
    requestLogs: new MemoryRequestLogs({ accounts }),
    sandboxKeys: new MemorySandboxKeys(accounts),
    sessions: new MemorySessions(),
    oneTimeTokens: new MemoryOneTimeTokens(),
    leases: new MemoryLeases(),
    usage: new MemoryUsageHistory(),
  };
  return {
    ...stores,
    accountLists: new MemoryAccountLists(stores),
    accountStatistics: new MemoryAccountStatistics(accounts),
    accountUsage: new MemoryAccountUsage(stores),
    accountDeletions: new MemoryAccountDeletions(stores),
    expiredRows: new MemoryExpiredRows(stores),
    unindexedItems: new MemoryUnindexedItems(),
    marketDirectory: markets,
    marketProjection: markets,
    heldLeases,
  } satisfies Stores;
}
