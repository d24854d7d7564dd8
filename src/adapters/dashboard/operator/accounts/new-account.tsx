import type { OpenAccount } from '../../../../application/accounts/open-account.js';
import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import { PLAN_NAMES, type Plans } from '../../../../domain/billing/plan.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo } from '../../state.js';
import type { FormPage, OperatorVisit, Visits } from '../../visit.js';
import { accountPath, NEW_ACCOUNT_PATH } from '../addresses.js';
import { submittedReason } from '../submitted-reason.js';
import { NewAccountPage, type NewAccountProps, NO_ENTRIES } from './new-account-page.js';

export type NewAccountParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly accounts: Pick<Accounts, 'findByEmail'>;
  readonly openAccount: OpenAccount;
  readonly plans: Plans;
  readonly keyFormat: KeyFormat;
};

type Shown = Pick<NewAccountProps, 'entries' | 'fault' | 'reasonFault'>;

/** Opens an account as `POST /internal/v1/accounts` does, with a reason (D25). */
export function newAccountRoutes(parts: NewAccountParts): readonly PageRoute[] {
  const { visits, accounts, openAccount, plans, keyFormat } = parts;
  const show = (ctx: Context, { viewer }: OperatorVisit, shown: Shown, status: number) =>
    answerPage(ctx, <NewAccountPage {...{ viewer, plans }} {...shown} />, status);

  const open: FormPage<OperatorVisit> = async (ctx, visit, form) => {
    const email = form.get('email') ?? '';
    const plan = PLAN_NAMES.find((name) => name === form.get('plan')) ?? null;
    const submitted = submittedReason(form, keyFormat);
    const typed = 'fault' in submitted ? submitted.fault.typed : submitted.typed;
    const entries = { email: keyFormat.redact(email.trim()), plan, reason: typed };
    if ('fault' in submitted) {
      return show(ctx, visit, { entries, fault: null, reasonFault: submitted.fault }, 400);
    }
    const refused = (text: string, existing: string | null, status: number) =>
      show(ctx, visit, { entries, fault: { text, existing }, reasonFault: null }, status);
    if (plan === null) return refused('Choose one of the plans.', null, 400);
    const opened = await openAccount(
      { email, plan, processorCustomerId: null },
      visit.name,
      submitted.reason,
    );
    if (!isRefusal(opened)) return goTo(ctx, `${accountPath(opened.id)}?done=opened`);
    if (opened.refused !== 'account_exists') return refused('This is not an email address.', null, 400);
    const existing = await accounts.findByEmail(email.trim());
    return refused(refusalText(opened), existing === null ? null : accountPath(existing.id), 409);
  };

  return [
    {
      path: NEW_ACCOUNT_PATH,
      GET: visits.page((ctx, visit) =>
        show(ctx, visit, { entries: NO_ENTRIES, fault: null, reasonFault: null }, 200),
      ),
      POST: visits.form(open),
    },
  ];
}
