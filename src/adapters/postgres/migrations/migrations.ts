import type { Knex } from 'knex';
import * as stores from './2026-11-21-stores.js';
import * as payments from './2026-11-22-payments.js';
import * as usage from './2026-11-23-usage.js';
import * as signIn from './2026-11-24-sign-in.js';
import * as keyPrefixes from './2026-11-25-key-prefixes.js';
import * as changeLogs from './2026-11-26-change-logs.js';
import * as retention from './2026-11-27-retention.js';
import * as accountDeletion from './2026-11-28-account-deletion.js';
import * as itemTerms from './2026-11-29-item-terms.js';
import * as closedKeys from './2026-11-30-closed-keys.js';
import * as firstUse from './2026-12-01-first-use.js';
import * as ignoredEvents from './2026-12-02-ignored-events.js';
import * as history from './2026-12-03-history.js';
import * as purges from './2026-12-04-purges.js';
import * as markets from './2026-12-05-markets.js';
import * as termsVersions from './2026-12-06-terms-versions.js';
import * as newestChange from './2026-12-07-newest-change-of-item.js';
import * as destinations from './2026-12-08-destinations.js';
import * as accountLists from './2026-12-09-account-lists.js';
import * as itemAudit from './2026-12-10-item-audit.js';
import * as accountPlans from './2026-12-11-account-plans.js';
import * as requestLog from './2026-12-12-request-log.js';
import * as deletedAccounts from './2026-12-13-deleted-accounts.js';
import * as sandboxKeys from './2026-12-13-sandbox-keys.js';
import * as versionTimes from './2026-12-14-version-times.js';
import * as marketWords from './2026-12-15-market-words.js';

export type SchemaMigration = {
  /**
   * The oldest version of the service whose code runs on the schema after this migration. An additive migration keeps
   * the version of the previous one. A migration that renames, drops or tightens states the first version that supports
   * it: older versions then refuse to start.
   */
  readonly oldestVersion: string;
  readonly up: (db: Knex) => Promise<void>;
  readonly down: (db: Knex) => Promise<void>;
  readonly config?: { readonly transaction: boolean };
};

/** In the order of application. A released name never changes. */
export const MIGRATIONS: ReadonlyMap<string, SchemaMigration> = new Map<string, SchemaMigration>([
  ['2026-11-21-stores', stores],
  ['2026-11-22-payments', payments],
  ['2026-11-23-usage', usage],
  ['2026-11-24-sign-in', signIn],
  ['2026-11-25-key-prefixes', keyPrefixes],
  ['2026-11-26-change-logs', changeLogs],
  ['2026-11-27-retention', retention],
  ['2026-11-28-account-deletion', accountDeletion],
  ['2026-11-29-item-terms', itemTerms],
  ['2026-11-30-closed-keys', closedKeys],
  ['2026-12-01-first-use', firstUse],
  ['2026-12-02-ignored-events', ignoredEvents],
  ['2026-12-03-history', history],
  ['2026-12-04-purges', purges],
  ['2026-12-05-markets', markets],
  ['2026-12-06-terms-versions', termsVersions],
  ['2026-12-07-newest-change-of-item', newestChange],
  ['2026-12-08-destinations', destinations],
  ['2026-12-09-account-lists', accountLists],
  ['2026-12-10-item-audit', itemAudit],
  ['2026-12-11-account-plans', accountPlans],
  ['2026-12-12-request-log', requestLog],
  ['2026-12-13-deleted-accounts', deletedAccounts],
  ['2026-12-13-sandbox-keys', sandboxKeys],
  ['2026-12-14-version-times', versionTimes],
  ['2026-12-15-market-words', marketWords],
]);
