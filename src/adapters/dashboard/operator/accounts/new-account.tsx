import type { OpenAccount } from '../../../../application/accounts/open-account.js';
import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import { PLAN_NAMES, type Plans } from '../../../../domain/billing/plan.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal, type Refusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
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

  /** Why no account was opened, with the page of the account that has the address already. */
  const faultOf = async (refusal: Refusal, email: string) => {
    const existing = refusal.refused === 'account_exists' ? await accounts.findByEmail(email) : null;
    const text = 'faults' in refusal ? 'This is not an email address.' : ADDRESS_TAKEN;
    return { text, existing: existing === null ? null : accountPath(existing.id) };
  };

  const open: FormPage<OperatorVisit> = async (ctx, visit, form) => {
    const { email, plan } = entriesOf(form);
    const submitted = submittedReason(form, keyFormat);
    const reasonFault = 'fault' in submitted ? submitted.fault : null;
    const typed = 'fault' in submitted ? submitted.fault.typed : submitted.typed;
    const entries = { email: keyFormat.redact(email), plan, reason: typed };
    if ('fault' in submitted) return show(ctx, visit, { entries, fault: null, reasonFault }, 400);
    if (plan === null) return show(ctx, visit, { entries, fault: NO_PLAN, reasonFault }, 400);
    const opened = await openAccount(
      { email, plan, processorCustomerId: null },
      visit.name,
      submitted.reason,
    );
    if (!isRefusal(opened)) return goTo(ctx, `${accountPath(opened.id)}?done=opened`);
    const fault = await faultOf(opened, email);
    return show(ctx, visit, { entries, fault, reasonFault }, 'faults' in opened ? 400 : 409);
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

const ADDRESS_TAKEN = 'An account has this email address already.';
const NO_PLAN = { text: 'Choose one of the plans.', existing: null };

const entriesOf = (form: URLSearchParams) => ({
  email: (form.get('email') ?? '').trim(),
  plan: PLAN_NAMES.find((name) => name === form.get('plan')) ?? null,
});
