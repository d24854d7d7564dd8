import type { LinkCustomer } from '../../../../application/billing/link-customer.js';
import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import type { Account } from '../../../../domain/accounts/account.js';
import { readCustomerId } from '../../../../domain/billing/account-customer.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { accountRefusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo, parameter } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import { tabPath } from '../addresses.js';
import { submittedReason } from '../submitted-reason.js';
import { withAccount } from './account.js';
import { CustomerLinkPage, type CustomerLinkProps } from './customer-link-page.js';

export type CustomerLinkParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly accounts: Accounts;
  readonly linkCustomer: LinkCustomer;
  readonly keyFormat: KeyFormat;
};

type Shown = Pick<CustomerLinkProps, 'customer' | 'typed' | 'fault' | 'reasonFault'>;

/** Links an account to a customer of the payment processor, as the internal API does, with a reason (D42). */
export function customerLinkRoutes(parts: CustomerLinkParts): readonly PageRoute[] {
  const { visits, accounts, linkCustomer, keyFormat } = parts;

  const ask = (ctx: Context, { viewer }: OperatorVisit, account: Account, shown: Shown, status: number) => {
    return answerPage(ctx, <CustomerLinkPage {...{ viewer, account }} {...shown} />, status);
  };

  /** A link from the page of a waiting event names the customer. */
  const open = (ctx: Context, visit: OperatorVisit, account: Account) => {
    if (account.processorCustomerId !== null) return goTo(ctx, tabPath(account.id, 'payments'));
    const customer = keyFormat.redact(parameter(ctx, 'customer') ?? '');
    return ask(ctx, visit, account, { customer, typed: '', fault: null, reasonFault: null }, 200);
  };

  const take = async (ctx: Context, visit: OperatorVisit, account: Account, form: URLSearchParams) => {
    const sent = form.get('customer') ?? '';
    const customer = keyFormat.redact(sent);
    const submitted = submittedReason(form, keyFormat);
    if ('fault' in submitted) {
      const { fault: reasonFault } = submitted;
      return ask(ctx, visit, account, { customer, typed: reasonFault.typed, fault: null, reasonFault }, 400);
    }
    const { reason, typed } = submitted;
    const id = readCustomerId(sent);
    const answer = typeof id === 'object' ? id : await linkCustomer(account.id, id, reason, visit.name);
    if (!isRefusal(answer)) return goTo(ctx, `${tabPath(account.id, 'payments')}?done=link-applied`);
    const fault = accountRefusalText(answer, account);
    const status = answer.refused === 'invalid_body' ? 400 : 409;
    return ask(ctx, visit, account, { customer, typed, fault, reasonFault: null }, status);
  };

  return [
    {
      path: '/operator/accounts/:id/customer',
      GET: visits.page(withAccount(accounts, open)),
      POST: visits.form(withAccount(accounts, take)),
    },
  ];
}
