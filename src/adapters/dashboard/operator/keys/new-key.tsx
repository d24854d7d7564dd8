import { knownPlan } from '../../../../application/billing/known-plan.js';
import type { IssuedKey } from '../../../../application/keys/fresh-key.js';
import type { IssueKey } from '../../../../application/keys/issue-key.js';
import type { RotateKey } from '../../../../application/keys/rotate-key.js';
import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import type { Account } from '../../../../domain/accounts/account.js';
import type { Reason } from '../../../../domain/accounts/reason.js';
import type { Plans } from '../../../../domain/billing/plan.js';
import { keysInUse, whyNotIssue, whyNotRotate } from '../../../../domain/keys/allowance.js';
import type { ApiKey, KeyId } from '../../../../domain/keys/api-key.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { type Label, readLabel } from '../../../../domain/keys/label.js';
import type { Moment } from '../../../../domain/moment.js';
import { isRefusal, type Refusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { accountRefusalText, refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import type { Context } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import { withAccount } from '../accounts/account.js';
import { newKeyPath, rotationPath } from '../addresses.js';
import { submittedReason } from '../submitted-reason.js';
import { CreatedKeyPage, NewKeyFormPage, type NewKeyFormProps, NO_ENTRIES } from './new-key-page.js';

export type NewKeyParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly accounts: Accounts;
  readonly issueKey: IssueKey;
  readonly rotateKey: RotateKey;
  readonly plans: Plans;
  readonly keyFormat: KeyFormat;
  readonly publicUrl: () => string;
};

/** A key that an operator creates: `older` is the key that it replaces, null for one more. */
type Creation = {
  readonly account: Account;
  readonly older: ApiKey | null;
  readonly path: string;
  readonly whyNot: Refusal | null;
  readonly allowance: string | null;
};

/** Creates and rotates keys as the internal API does, with a reason (D25). Only the answer to the form has the value. */
export function newKeyRoutes(parts: NewKeyParts): readonly PageRoute[] {
  const { visits, accounts } = parts;
  const take = takeForm(parts);

  const ask = (ctx: Context, visit: OperatorVisit, account: Account) => {
    const creation = creationOf(parts.plans, account, ctx.params['key'], visit.now);
    if (creation === null) return answerError(ctx, 'not found');
    return show(ctx, visit, creation, { entries: NO_ENTRIES, fault: null, reasonFault: null }, 200);
  };

  const create = (ctx: Context, visit: OperatorVisit, account: Account, form: URLSearchParams) => {
    const creation = creationOf(parts.plans, account, ctx.params['key'], visit.now);
    return creation === null ? answerError(ctx, 'not found') : take(ctx, visit, creation, form);
  };

  const [GET, POST] = [visits.page(withAccount(accounts, ask)), visits.form(withAccount(accounts, create))];
  return [
    { path: '/operator/accounts/:id/new-key', GET, POST },
    { path: '/operator/accounts/:id/keys/:key/rotation', GET, POST },
  ];
}

type Shown = Pick<NewKeyFormProps, 'entries' | 'fault' | 'reasonFault'>;

const show = (
  ctx: Context,
  { viewer }: OperatorVisit,
  { account, older, path, whyNot, allowance }: Creation,
  shown: Shown,
  status: number,
) => {
  const why = whyNot === null ? null : accountRefusalText(whyNot, account);
  const props = { viewer, account, older, path, allowance, why, ...shown };
  return answerPage(ctx, <NewKeyFormPage {...props} />, status);
};

function takeForm(parts: NewKeyParts) {
  const { accounts, issueKey, rotateKey, keyFormat, plans, publicUrl } = parts;

  const run = (
    { account, older }: Creation,
    label: Label | null,
    { name }: OperatorVisit,
    by: { readonly seen: KeyId | null; readonly reason: Reason },
  ): Promise<IssuedKey | Refusal> =>
    older === null
      ? issueKey(account.id, label, name, by)
      : rotateKey(older.id, label, name, by.seen, by.reason);

  return async (ctx: Context, visit: OperatorVisit, creation: Creation, form: URLSearchParams) => {
    const submitted = submittedKey(form, keyFormat);
    if ('fault' in submitted) return show(ctx, visit, creation, submitted, 400);
    const { entries, label, reason } = submitted;
    const issued = await run(creation, label, visit, { seen: seenIn(form), reason });
    if (!isRefusal(issued)) {
      const { account, value } = issued;
      const props = { viewer: visit.viewer, account, value, publicUrl: publicUrl() };
      return answerPage(ctx, <CreatedKeyPage {...props} />, 201);
    }
    const found = (await accounts.find(creation.account.id)) ?? creation.account;
    const now = creationOf(plans, found, creation.older?.id, visit.now) ?? creation;
    const fault = accountRefusalText(issued, now.account);
    return show(ctx, visit, now, { entries, fault, reasonFault: null }, 409);
  };
}

/** Label and reason of a submitted form, or what the form shows again with its faults. */
function submittedKey(
  form: URLSearchParams,
  keyFormat: KeyFormat,
): Shown | (Pick<Shown, 'entries'> & { readonly label: Label | null; readonly reason: Reason }) {
  const typed = (form.get('label') ?? '').trim();
  const submitted = submittedReason(form, keyFormat);
  const isReasoned = 'reason' in submitted;
  const reason = isReasoned ? submitted.typed : submitted.fault.typed;
  const entries = { label: keyFormat.redact(typed), reason };
  if (!isReasoned) return { entries, fault: null, reasonFault: submitted.fault };
  const label = typed === '' ? null : readLabel(typed, keyFormat);
  return label !== null && typeof label === 'object'
    ? { entries, fault: refusalText(label), reasonFault: null }
    : { entries, label, reason: submitted.reason };
}

/** The newest key when the form was shown: a form that is sent twice creates one key. */
const seenIn = (form: URLSearchParams): KeyId | null => {
  const seen = form.get('seen') ?? '';
  return seen === '' ? null : (seen as KeyId);
};

/** Null for a key of another account. */
function creationOf(plans: Plans, account: Account, keyId: string | undefined, now: Moment): Creation | null {
  if (keyId === undefined) {
    const plan = knownPlan(plans, account.subscription.plan);
    const allowance = `${keysInUse(account.keys)} of ${plan.keys} keys in use on the ${plan.title} plan.`;
    const whyNot = whyNotIssue(account, plan, now);
    return { account, older: null, path: newKeyPath(account.id), whyNot, allowance };
  }
  const older = account.keys.find(({ id }) => id === keyId);
  if (older === undefined) return null;
  const path = rotationPath(account.id, older);
  return { account, older, path, whyNot: whyNotRotate(account, older, now), allowance: null };
}
