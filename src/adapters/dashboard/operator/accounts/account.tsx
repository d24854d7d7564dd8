import type { ReadLimits } from '../../../../application/limits/read-limits.js';
import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import type { PaymentInbox } from '../../../../application/ports/billing/payment-inbox.js';
import type { Destinations } from '../../../../application/ports/destinations/destinations.js';
import type { Identities } from '../../../../application/ports/sign-in/identities.js';
import type { Account, AccountId, AuditEntry } from '../../../../domain/accounts/account.js';
import { isDeleted } from '../../../../domain/accounts/account-deletion.js';
import { applyDue } from '../../../../domain/accounts/account-due.js';
import { accountActions, keyActions } from '../../../../domain/accounts/operator-actions.js';
import { type Plans, planTitle } from '../../../../domain/billing/plan.js';
import { destinationsOf } from '../../destinations/destination-page.js';
import type { KeyViews } from '../../keys/key-view.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, parameter } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import { AccountPage, type AccountPageProps } from './account-page.js';
import { doneNotice } from './action-text.js';
import { AuditPage } from './audit.js';

/** Revoked keys on the page, besides all other keys. */
const EARLIER_KEYS_MAX = 20;
const EVENTS_MAX = 20;
/** Audit entries on the account page, and on the pages with older ones. Few, since reasons may be long. */
const AUDIT_MAX = { first: 20, more: 40 } as const;

const PATH = '/operator/accounts/:id';

export type AccountParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly accounts: Accounts;
  readonly identities: Identities;
  readonly keyViews: KeyViews;
  readonly readLimits: ReadLimits;
  readonly inbox: PaymentInbox;
  readonly plans: Plans;
  readonly destinations: Pick<Destinations, 'of'>;
};

/** Handles a request about one account, with due changes applied. */
type AccountHandler<More extends readonly unknown[]> = (
  ctx: Context,
  visit: OperatorVisit,
  account: Account,
  ...more: More
) => Promise<void> | void;

export const withAccount =
  <More extends readonly unknown[]>(accounts: Accounts, take: AccountHandler<More>) =>
  async (ctx: Context, visit: OperatorVisit, ...more: More): Promise<void> => {
    const found = await accounts.find((ctx.params['id'] ?? '') as AccountId);
    if (found === null) return answerError(ctx, 'not found');
    return take(ctx, visit, applyDue(found, visit.now).next, ...more);
  };

/** The pages of one account. */
export function accountRoutes(parts: AccountParts): readonly PageRoute[] {
  const { visits, accounts } = parts;
  const show = showAccount(parts);

  const page: AccountHandler<[]> = (ctx, visit, account) =>
    show(ctx, visit, account, doneNotice(parameter(ctx, 'done')));

  const audit: AccountHandler<[]> = async (ctx, { viewer }, account) => {
    const before = /^\d{1,9}$/.exec(parameter(ctx, 'before') ?? '')?.[0];
    const entries = await accounts.auditOf(account.id);
    const slice = newestBefore(
      entries,
      before === undefined ? entries.length : Number(before),
      AUDIT_MAX.more,
    );
    answerPage(ctx, <AuditPage {...{ viewer, account, ...slice }} />);
  };

  return [
    { path: PATH, GET: visits.page(withAccount(accounts, page)) },
    { path: `${PATH}/audit`, GET: visits.page(withAccount(accounts, audit)) },
  ];
}

export type ShowAccount = (
  ctx: Context,
  visit: OperatorVisit,
  account: Account,
  notice: AccountPageProps['notice'],
  status?: number,
) => Promise<void>;

export function showAccount({
  accounts,
  identities,
  keyViews,
  readLimits,
  inbox,
  plans,
  destinations,
}: AccountParts): ShowAccount {
  return async (ctx, { viewer, now }, account, notice, status = 200) => {
    const { keys } = account;
    const current = keys.filter((key) => key.state.status !== 'revoked' || keyActions(key, now).length > 0);
    const earlier = keys.filter((key) => !current.includes(key)).toReversed();
    const shown = [...current, ...earlier.slice(0, EARLIER_KEYS_MAX)];
    const [views, limits, entries, events, joined, delivered] = await Promise.all([
      keyViews(account, shown, now),
      readLimits(account.subscription),
      accounts.auditOf(account.id),
      inbox.list({ account: account.id }, EVENTS_MAX),
      identities.of(account.id),
      destinationsOf(destinations, account.id),
    ]);
    const props: AccountPageProps = {
      viewer,
      account,
      now,
      notice,
      limits,
      events,
      identities: joined,
      destinations: delivered,
      planTitle: planTitle(plans, account.subscription.plan),
      keys: views.map((view) => ({ ...view, actions: isDeleted(account) ? [] : keyActions(view.key, now) })),
      keysNotShown: keys.length - shown.length,
      actions: accountActions(account, now),
      audit: newestBefore(entries, entries.length, AUDIT_MAX.first),
    };
    answerPage(ctx, <AccountPage {...props} />, status);
  };
}

/** Entries are only appended, so the position of an entry never changes. */
function newestBefore(entries: readonly AuditEntry[], before: number, count: number) {
  const end = Math.min(before, entries.length);
  const start = Math.max(0, end - count);
  return { entries: entries.slice(start, end).toReversed(), older: start === 0 ? null : start };
}
