import type { Knex } from 'knex';
import type { Stores } from '../../application/ports/stores.js';
import { PostgresAccountDeletions } from './accounts/postgres-account-deletions.js';
import { PostgresAccountLists } from './accounts/postgres-account-lists.js';
import { PostgresAccountStatistics } from './accounts/postgres-account-statistics.js';
import { PostgresAccounts } from './accounts/postgres-accounts.js';
import { PostgresOutbox } from './accounts/postgres-outbox.js';
import { PostgresPaymentInbox } from './billing/postgres-payment-inbox.js';
import { PostgresDestinations } from './destinations/postgres-destinations.js';
import { PostgresFeedStore } from './feed/postgres-feed-store.js';
import { PostgresItemOrders } from './feed/postgres-item-orders.js';
import { PostgresUnindexedItems } from './feed/postgres-unindexed-items.js';
import { PostgresGate } from './keys/postgres-gate.js';
import { PostgresKeyUses } from './keys/postgres-key-uses.js';
import { PostgresSandboxKeys } from './keys/postgres-sandbox-keys.js';
import { PostgresAccountUsage } from './limits/postgres-account-usage.js';
import { PostgresRequestLogs } from './limits/postgres-request-logs.js';
import { PostgresUsageHistory } from './limits/postgres-usage-history.js';
import { PostgresHeldLeases } from './postgres-held-leases.js';
import { PostgresLeases } from './postgres-leases.js';
import { PostgresExpiredRows } from './retention/postgres-expired-rows.js';
import { PostgresIdentities } from './sign-in/postgres-identities.js';
import { PostgresOneTimeTokens } from './sign-in/postgres-one-time-tokens.js';
import { PostgresSessions } from './sign-in/postgres-sessions.js';

/**
 * Stores in one database. `keyUses` and `usage` write in the background until they are closed. Pages of the feed, its past and
 * its markets are read over connections of their own.
 */
export const postgresStores = (db: Knex) =>
  ({
    accounts: new PostgresAccounts(db),
    accountDeletions: new PostgresAccountDeletions(db),
    accountLists: new PostgresAccountLists(db),
    accountStatistics: new PostgresAccountStatistics(db),
    accountUsage: new PostgresAccountUsage(db),
    feed: new PostgresFeedStore(db),
    gate: new PostgresGate(db),
    itemOrders: new PostgresItemOrders(db),
    identities: new PostgresIdentities(db),
    inbox: new PostgresPaymentInbox(db),
    keyUses: new PostgresKeyUses(db),
    outbox: new PostgresOutbox(db),
    requestLogs: new PostgresRequestLogs(db),
    sandboxKeys: new PostgresSandboxKeys(db),
    sessions: new PostgresSessions(db),
    oneTimeTokens: new PostgresOneTimeTokens(db),
    leases: new PostgresLeases(db),
    heldLeases: new PostgresHeldLeases(db),
    destinations: new PostgresDestinations(db),
    usage: new PostgresUsageHistory(db),
    expiredRows: new PostgresExpiredRows(db),
    unindexedItems: new PostgresUnindexedItems(db),
  }) satisfies Omit<Stores, 'feedPages' | 'feedPast' | 'marketDirectory' | 'marketProjection'>;
