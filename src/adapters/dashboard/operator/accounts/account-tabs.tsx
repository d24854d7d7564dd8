import type { ComponentChildren } from 'preact';
import type { ReadLimits } from '../../../../application/limits/read-limits.js';
import type { RecentRequests } from '../../../../application/limits/recent-requests.js';
import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import type { PaymentInbox } from '../../../../application/ports/billing/payment-inbox.js';
import type { CustomerPage } from '../../../../application/ports/billing/processor.js';
import type { Destinations } from '../../../../application/ports/destinations/destinations.js';
import type { SandboxKey, SandboxKeys } from '../../../../application/ports/keys/sandbox-keys.js';
import type { UsageHistory } from '../../../../application/ports/limits/usage-history.js';
import type { Identities } from '../../../../application/ports/sign-in/identities.js';
import type { Account, AuditEntry } from '../../../../domain/accounts/account.js';
import { isDeleted } from '../../../../domain/accounts/account-deletion.js';
import { accountActions, keyActions } from '../../../../domain/accounts/operator-actions.js';
import { diagnose } from '../../../../domain/accounts/refusal-diagnosis.js';
import { type Plans, planTitle } from '../../../../domain/billing/plan.js';
import { LAST_30_DAYS, spanStart } from '../../../../domain/limits/usage.js';
import type { Moment } from '../../../../domain/moment.js';
import { destinationsOf } from '../../destinations/destination-page.js';
import type { KeyViews } from '../../keys/key-view.js';
import { At } from '../../page/moment.js';
import { type Context, parameter } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import type { AccountTab } from '../addresses.js';
import { DestinationTable } from '../destinations/destination-table.js';
import { KeyTable, NewKeyLink } from '../keys/key-table.js';
import { AccountPayments } from './account-payments.js';
import { AccountUsage } from './account-usage.js';
import { AuditTable } from './audit.js';
import { Overview } from './overview.js';
import { accountRequests } from './requests.js';

/** Revoked keys on the page, besides all other keys. */
const EARLIER_KEYS_MAX = 20;
const EVENTS_MAX = 20;
/** Few, since reasons may be long. */
const AUDIT_MAX = 40;

export type AccountParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly accounts: Accounts;
  readonly identities: Identities;
  readonly keyViews: KeyViews;
  readonly readLimits: ReadLimits;
  readonly usage: UsageHistory;
  readonly recentRequests: Pick<RecentRequests, 'of'>;
  readonly inbox: PaymentInbox;
  readonly plans: Plans;
  readonly destinations: Pick<Destinations, 'of'>;
  readonly sandboxKeys: Pick<SandboxKeys, 'of'>;
  /** Null if the processor is not configured. */
  readonly customerPage: CustomerPage | null;
};

type Content = (
  parts: AccountParts,
  account: Account,
  now: Moment,
  ctx: Context,
) => Promise<ComponentChildren>;

const overview: Content = async (parts, account, now) => {
  const [limits, entries, identities] = await Promise.all([
    parts.readLimits(account.subscription),
    parts.accounts.auditOf(account.id),
    parts.identities.of(account.id),
  ]);
  const props = {
    ...{ account, now, identities },
    customerUrl: customerUrlOf(account, parts.customerPage),
    diagnoses: diagnose(account, entries, limits, now),
    planTitle: planTitle(parts.plans, account.subscription.plan),
    actions: accountActions(account, now),
  };
  return <Overview {...props} />;
};

const keys: Content = async ({ keyViews, sandboxKeys }, account, now) => {
  const current = account.keys.filter(
    (key) => key.state.status !== 'revoked' || keyActions(account, key, now).length > 0,
  );
  const earlier = account.keys.filter((key) => !current.includes(key)).toReversed();
  const shown = [...current, ...earlier.slice(0, EARLIER_KEYS_MAX)];
  const views = (await keyViews(account, shown, now)).map((view) => ({
    ...view,
    actions: isDeleted(account) ? [] : keyActions(account, view.key, now),
  }));
  const sandbox = await sandboxKeys.of(account.id);
  const notShown = account.keys.length - shown.length;
  return (
    <>
      {views.length === 0 ? <p>No keys.</p> : <KeyTable account={account} keys={views} now={now} />}
      {!isDeleted(account) && <NewKeyLink account={account} />}
      <SandboxKeyLine sandbox={sandbox} />
      {notShown > 0 && <p class="quiet">Older revoked keys that are not shown: {notShown}.</p>}
    </>
  );
};

/** A sandbox key is in no list of keys: it opens nothing of the feed (D77). */
const SandboxKeyLine = ({ sandbox }: { readonly sandbox: SandboxKey | null }) =>
  sandbox === null ? (
    <p class="quiet">No sandbox key.</p>
  ) : (
    <p class="quiet">
      Sandbox key <code>{sandbox.prefix}…</code>, created <At at={sandbox.createdAt} />.
    </p>
  );

const usage: Content = async (parts, account, now) => {
  const ids = account.keys.map(({ id }) => id);
  const [limits, counts] = await Promise.all([
    parts.readLimits(account.subscription),
    parts.usage.of(ids, spanStart(LAST_30_DAYS, now)),
  ]);
  return <AccountUsage {...{ limits, counts, now }} />;
};

const payments: Content = async ({ inbox, customerPage }, account, now) => {
  const events = await inbox.list({ account: account.id }, EVENTS_MAX);
  return <AccountPayments {...{ account, events, now }} customerUrl={customerUrlOf(account, customerPage)} />;
};

const customerUrlOf = (
  { processorCustomerId: customer }: Account,
  customerPage: AccountParts['customerPage'],
): string | null => (customer === null || customerPage === null ? null : customerPage(customer));

const destinations: Content = async (parts, account) => {
  const listed = await destinationsOf(parts.destinations, account.id);
  return listed.length === 0 ? (
    <p>No destinations.</p>
  ) : (
    <DestinationTable destinations={listed} caption="Destinations, oldest first" />
  );
};

const audit: Content = async ({ accounts }, account, _now, ctx) => {
  const entries = await accounts.auditOf(account.id);
  const before = /^\d{1,9}$/.exec(parameter(ctx, 'before') ?? '')?.[0];
  const slice = newestBefore(entries, before === undefined ? entries.length : Number(before));
  return <AuditTable account={account} {...slice} />;
};

export const TAB_CONTENTS: Readonly<Record<AccountTab, Content>> = {
  ...{ overview, keys, usage, payments, destinations, audit },
  requests: ({ recentRequests }, account, now, ctx) => accountRequests(recentRequests, account, now, ctx),
};

/** Entries are only appended, so the position of an entry never changes. */
function newestBefore(entries: readonly AuditEntry[], before: number) {
  const end = Math.min(before, entries.length);
  const start = Math.max(0, end - AUDIT_MAX);
  return { entries: entries.slice(start, end).toReversed(), older: start === 0 ? null : start };
}
