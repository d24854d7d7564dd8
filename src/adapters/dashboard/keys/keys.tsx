import { knownPlan } from '../../../application/billing/known-plan.js';
import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import { whyNotIssue } from '../../../domain/keys/allowance.js';
import { type ApiKey, graceUntil } from '../../../domain/keys/api-key.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { type Label, readLabel } from '../../../domain/keys/label.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import { answerPage } from '../page/answer.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { PageRoute } from '../page-router.js';
import { type Context, goTo, parameter } from '../state.js';
import { type FormPage, type HolderVisit, type Page, visitTo } from '../visit.js';
import { flashOf } from './flash.js';
import {
  formWithKey,
  KEYS_PATH,
  type KeyHandler,
  type KeyParts,
  mayCreateKey,
  newestKeySeen,
  pageWithKey,
} from './key-page.js';
import { KeysPage, type KeysPageProps } from './keys-page.js';
import { NewKeyPage } from './new-key-page.js';
import { RevocationPage } from './revocation-page.js';

/** Revoked keys that the page still shows. */
const EARLIER_MAX = 20;

type ShowKeys = (
  ctx: Context,
  visit: HolderVisit,
  notice: KeysPageProps['notice'],
  status?: number,
) => Promise<void>;

/** Shows, creates and revokes the keys of an account (contract sections 2.12 and 5.3). */
export function keyRoutes(parts: KeyParts): readonly PageRoute[] {
  const { page, form } = parts.visits;
  const show = showKeys(parts);

  /** Shows the account as it is after the refusal. */
  const refused = async (ctx: Context, visit: HolderVisit, refusal: Refusal) => {
    const found = await parts.accounts.find(visit.account.id);
    const now = found === null ? visit : visitTo(found, visit);
    const status = refusal.refused === 'invalid_body' ? 400 : 409;
    return show(ctx, now, { kind: 'bad', text: accountRefusalText(refusal, now.account) }, status);
  };

  const create: FormPage<HolderVisit> = async (ctx, visit, sent) => {
    const label = labelIn(sent, parts.keyFormat);
    if (label !== null && typeof label === 'object') return refused(ctx, visit, label);
    if (!(await mayCreateKey(ctx, visit, parts))) return;
    const issued = await parts.issueKey(visit.account.id, label, CUSTOMER, newestKeySeen(sent));
    if (isRefusal(issued)) return refused(ctx, visit, issued);
    const { viewer } = visit;
    const demo = parts.demo(KEYS_PATH, visit);
    const props = { viewer, issued, publicUrl: parts.publicUrl(), demo };
    return answerPage(ctx, <NewKeyPage {...props} rotates={null} />, 201);
  };

  const revoke: KeyHandler = async (ctx, _, key) => {
    const revoked = await parts.revokeKey(key.id, 'manual', null, CUSTOMER);
    return goTo(ctx, `${KEYS_PATH}?said=${isRefusal(revoked) ? revoked.refused : 'revoked'}`);
  };

  const askToRevoke: KeyHandler = async (ctx, visit, key) => {
    const [view] = await parts.keyViews(visit.account, [key], visit.now);
    if (view === undefined || isPastGrace(key, visit)) return goTo(ctx, KEYS_PATH);
    const demo = parts.demo(KEYS_PATH, visit);
    return answerPage(ctx, <RevocationPage viewer={visit.viewer} view={view} demo={demo} />);
  };

  const list: Page<HolderVisit> = (ctx, visit) => show(ctx, visit, flashOf(parameter(ctx, 'said')));

  return [
    { path: KEYS_PATH, GET: page(list), POST: form(create) },
    {
      path: `${KEYS_PATH}/:id/revocation`,
      GET: page(pageWithKey(askToRevoke)),
      POST: form(formWithKey(revoke)),
    },
  ];
}

function showKeys({ plans, keyViews, readLimits, demo }: KeyParts): ShowKeys {
  return async (ctx, visit, notice, status = 200) => {
    const { account, viewer, now } = visit;
    const plan = knownPlan(plans, account.subscription.plan);
    const current = account.keys.filter((key) => !isPastGrace(key, visit));
    const earlier = account.keys.filter((key) => isPastGrace(key, visit));
    const [limits, ...views] = await Promise.all([
      readLimits(account.subscription),
      keyViews(account, current, now),
      keyViews(account, earlier.toReversed().slice(0, EARLIER_MAX), now),
    ]);
    const props: KeysPageProps = {
      ...{ viewer, account, plan, plans, limits, now, notice },
      whyNotIssue: whyNotIssue(account, plan, now),
      ...{ current: views[0], earlier: views[1] },
      demo: demo(KEYS_PATH, visit),
    };
    answerPage(ctx, <KeysPage {...props} />, status);
  };
}

const isPastGrace = ({ state }: ApiKey, { now }: HolderVisit): boolean =>
  state.status === 'revoked' && graceUntil(state, now) === null;

function labelIn(form: URLSearchParams, keyFormat: KeyFormat): Label | null | Refusal {
  const typed = (form.get('label') ?? '').trim();
  return typed === '' ? null : readLabel(typed, keyFormat);
}
