import type { AccountDeletions } from './accounts/account-deletions.js';
import type { AccountStatistics } from './accounts/account-statistics.js';
import type { Accounts } from './accounts/accounts.js';
import type { Outbox } from './accounts/outbox.js';
import type { PaymentInbox } from './billing/payment-inbox.js';
import type { ExpiredRows } from './expired-rows.js';
import type { FeedPast } from './feed/feed-past.js';
import type { FeedHead, FeedItems, FeedPages, FeedWriter } from './feed/feed-store.js';
import type { UnindexedItems } from './feed/unindexed-items.js';
import type { StoredGate } from './keys/gate.js';
import type { KeyUses } from './keys/key-uses.js';
import type { Leases } from './leases.js';
import type { UsageHistory } from './limits/usage-history.js';
import type { Identities } from './sign-in/identities.js';
import type { OneTimeTokens } from './sign-in/one-time-tokens.js';
import type { Sessions } from './sign-in/sessions.js';

/** The stores that one technology provides. */
export type Stores = {
  readonly accounts: Accounts;
  readonly accountDeletions: AccountDeletions;
  readonly accountStatistics: AccountStatistics;
  readonly feed: FeedItems & FeedWriter & FeedHead;
  readonly feedPages: FeedPages;
  readonly feedPast: FeedPast;
  readonly gate: StoredGate;
  readonly identities: Identities;
  readonly inbox: PaymentInbox;
  readonly keyUses: KeyUses;
  readonly outbox: Outbox;
  readonly sessions: Sessions;
  readonly oneTimeTokens: OneTimeTokens;
  readonly leases: Leases;
  readonly usage: UsageHistory;
  readonly expiredRows: ExpiredRows;
  readonly unindexedItems: UnindexedItems;
};
