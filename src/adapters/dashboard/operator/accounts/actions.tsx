import type { DeleteAccount } from '../../../../application/accounts/delete-account.js';
import type { Hold } from '../../../../application/accounts/hold.js';
import type { MonitorAccount } from '../../../../application/accounts/monitor-account.js';
import type { RepeatPaymentNotice } from '../../../../application/billing/repeat-payment-notice.js';
import type { RevokeKey } from '../../../../application/keys/revoke-key.js';
import type { ForgetIdentities } from '../../../../application/sign-in/forget-identities.js';
import type { Account } from '../../../../domain/accounts/account.js';
import {
  ACCOUNT_ACTIONS,
  type AccountAction,
  accountActions,
  KEY_ACTIONS,
  type KeyAction,
  keyActions,
} from '../../../../domain/accounts/operator-actions.js';
import { readReason } from '../../../../domain/accounts/reason.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import type { Moment } from '../../../../domain/moment.js';
import { isRefusal, type Refusal, refuse } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { accountRefusalText, refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo } from '../../state.js';
import type { OperatorVisit } from '../../visit.js';
import { type AccountTab, actionPath, keyActionPath, tabPath } from '../addresses.js';
import type { ReasonFault } from '../reason-form.js';
import { showAccount, withAccount } from './account.js';
import type { AccountParts } from './account-tabs.js';
import { type ActionForm, ActionPage, type PlannedAction } from './action-page.js';
import { ACCOUNT_ACTION_TEXT, KEY_ACTION_TEXT } from './action-text.js';

export type ActionParts = AccountParts & {
  readonly hold: Hold;
  readonly revokeKey: RevokeKey;
  readonly monitorAccount: MonitorAccount;
  readonly repeatPaymentNotice: RepeatPaymentNotice;
  readonly forgetIdentities: ForgetIdentities;
  readonly deleteAccount: DeleteAccount;
  readonly keyFormat: KeyFormat;
};

/** Operator actions: confirmed with their consequence, recorded with a reason and the operator's name (D25). */
export function actionRoutes(parts: ActionParts): readonly PageRoute[] {
  const { visits, accounts, keyFormat } = parts;
  const show = showAccount(parts);

  const ask = async (ctx: Context, visit: OperatorVisit, account: Account) => {
    const planned = plannedAction(parts, ctx, account, visit.now);
    if (planned === null) return answerError(ctx, 'not found');
    if (!planned.isOffered) return goTo(ctx, tabPath(account.id, tabOf(planned)));
    return answerPage(ctx, <ActionPage viewer={visit.viewer} {...{ account, planned }} fault={null} />);
  };

  const take = async (ctx: Context, visit: OperatorVisit, account: Account, form: URLSearchParams) => {
    const planned = plannedAction(parts, ctx, account, visit.now);
    if (planned === null) return answerError(ctx, 'not found');
    const submitted = submittedForm(planned, form, visit.name, keyFormat);
    if ('fault' in submitted) {
      const { fault } = submitted;
      return answerPage(ctx, <ActionPage viewer={visit.viewer} {...{ account, planned, fault }} />, 400);
    }
    const answer = planned.isOffered ? await submitted.run() : refuse('changed_meanwhile');
    const tab = tabOf(planned);
    if (!isRefusal(answer)) return goTo(ctx, `${tabPath(account.id, tab)}?done=${planned.done}`);
    const now = (await accounts.find(account.id)) ?? account;
    const notice = { kind: 'bad', text: accountRefusalText(answer, now) } as const;
    return show(ctx, visit, now, { tab, notice }, 409);
  };

  const [GET, POST] = [visits.page(withAccount(accounts, ask)), visits.form(withAccount(accounts, take))];
  return [
    { path: '/operator/accounts/:id/acts/:act', GET, POST },
    { path: '/operator/accounts/:id/keys/:key/acts/:act', GET, POST },
  ];
}

/** The page that shows what the action changed. */
const tabOf = ({ key }: PlannedAction): AccountTab => (key === null ? 'overview' : 'keys');

/** The action of a submitted form, or the fault of its reason. */
function submittedForm(
  { form }: PlannedAction,
  fields: URLSearchParams,
  actor: string,
  keyFormat: KeyFormat,
): { readonly fault: ReasonFault } | { readonly run: () => Promise<Account | Refusal> } {
  if (form.asks === 'confirmation') return { run: () => form.submit(actor) };
  const typed = fields.get('reason') ?? '';
  const reason = readReason(typed, keyFormat);
  return typeof reason === 'object'
    ? { fault: { typed: keyFormat.redact(typed), text: refusalText(reason) } }
    : { run: () => form.submit(reason, actor) };
}

/** Null for an unknown action, or a key of another account. */
function plannedAction(
  parts: ActionParts,
  ctx: Context,
  account: Account,
  now: Moment,
): PlannedAction | null {
  const { key: keyId, act: name } = ctx.params;
  if (keyId === undefined) {
    const action = ACCOUNT_ACTIONS.find((one) => one === name);
    return action === undefined ? null : plannedForAccount(parts, account, action, now);
  }
  const action = KEY_ACTIONS.find((one) => one === name);
  const key = account.keys.find(({ id }) => id === keyId);
  return action === undefined || key === undefined ? null : plannedForKey(parts, account, key, action, now);
}

type WithReason = Extract<ActionForm, { asks: 'reason' }>['submit'];

const withReason = (submit: WithReason): ActionForm => ({ asks: 'reason', submit });

function plannedForAccount(
  { hold, monitorAccount, repeatPaymentNotice, forgetIdentities, deleteAccount }: ActionParts,
  account: Account,
  action: AccountAction,
  now: Moment,
): PlannedAction {
  const { id } = account;
  const forms: Readonly<Record<AccountAction, ActionForm>> = {
    hold: withReason((reason, actor) => hold.onSubscription(id, 'held', reason, actor)),
    release: withReason((reason, actor) => hold.onSubscription(id, 'released', reason, actor)),
    'lift-abuse': withReason((reason, actor) => hold.onSubscription(id, 'abuse_cleared', reason, actor)),
    'stop-watching': withReason((reason, actor) => monitorAccount(id, false, reason, actor)),
    watch: withReason((reason, actor) => monitorAccount(id, true, reason, actor)),
    'repeat-notice': withReason((reason, actor) => repeatPaymentNotice(id, reason, actor)),
    'sign-out': withReason((reason, actor) => forgetIdentities(id, reason, actor)),
    delete: { asks: 'confirmation', submit: (actor) => deleteAccount(id, actor) },
  };
  return {
    text: ACCOUNT_ACTION_TEXT[action],
    key: null,
    path: actionPath(account, action),
    isOffered: accountActions(account, now).includes(action),
    done: action,
    form: forms[action],
  };
}

function plannedForKey(
  { hold, revokeKey }: ActionParts,
  account: Account,
  key: ApiKey,
  action: KeyAction,
  now: Moment,
): PlannedAction {
  const actions: Readonly<Record<KeyAction, WithReason>> = {
    hold: (reason, actor) => hold.onKey(key.id, 'held', reason, actor),
    release: (reason, actor) => hold.onKey(key.id, 'released', reason, actor),
    retire: (reason, actor) => revokeKey(key.id, 'rotation', reason, actor),
    revoke: (reason, actor) => revokeKey(key.id, 'manual', reason, actor),
  };
  return {
    text: KEY_ACTION_TEXT[action],
    key,
    path: keyActionPath(account, key, action),
    isOffered: keyActions(account, key, now).includes(action),
    done: `key-${action}`,
    form: withReason(actions[action]),
  };
}
