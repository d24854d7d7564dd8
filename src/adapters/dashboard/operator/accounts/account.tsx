import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import type { Account, AccountId } from '../../../../domain/accounts/account.js';
import { applyDue } from '../../../../domain/accounts/account-due.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, parameter } from '../../state.js';
import type { OperatorVisit } from '../../visit.js';
import { ACCOUNT_TABS, type AccountTab } from '../addresses.js';
import { AccountFrame } from './account-frame.js';
import { type AccountParts, TAB_CONTENTS } from './account-tabs.js';
import { type DoneNotice, doneNotice } from './action-text.js';

const PATH = '/operator/accounts/:id';

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
  const page =
    (tab: AccountTab): AccountHandler<[]> =>
    (ctx, visit, account) =>
      show(ctx, visit, account, { tab, notice: doneNotice(parameter(ctx, 'done')) });
  return ACCOUNT_TABS.map((tab) => ({
    path: tab === 'overview' ? PATH : `${PATH}/${tab}`,
    GET: visits.page(withAccount(accounts, page(tab))),
  }));
}

export type ShowAccount = (
  ctx: Context,
  visit: OperatorVisit,
  account: Account,
  shown: { readonly tab: AccountTab; readonly notice: DoneNotice | null },
  status?: number,
) => Promise<void>;

export function showAccount(parts: AccountParts): ShowAccount {
  return async (ctx, { viewer, now }, account, { tab, notice }, status = 200) => {
    const content = await TAB_CONTENTS[tab](parts, account, now, ctx);
    const page = <AccountFrame {...{ viewer, account, tab, notice }}>{content}</AccountFrame>;
    answerPage(ctx, page, status);
  };
}
