import { knownPlan } from '../../../application/billing/known-plan.js';
import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import { whyNotIssue } from '../../../domain/keys/allowance.js';
import { type ApiKey, graceUntil } from '../../../domain/keys/api-key.js';
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
import {
  addressOfVisitor,
  NOTHING_TYPED,
  readTypedKey,
  shownAgain,
  type TypedKey,
  typedKey,
} from './typed-key.js';

/** Revoked keys that the page still shows. */
const EARLIER_MAX = 20;

type ShowKeys = (
  ctx: Context,
  visit: HolderVisit,
  notice: KeysPageProps['notice'],
  status?: number,
  typed?: TypedKey,
) => Promise<void>;

/** Shows, creates and revokes the keys of an account (contract sections 2.12 and 5.3). */
export function keyRoutes(parts: KeyParts): readonly PageRoute[] {
  const { page, form } = parts.visits;
  const show = showKeys(parts);

  /** Shows the account as it is after the refusal. */
  const refused = async (ctx: Context, visit: HolderVisit, refusal: Refusal, typed: TypedKey) => {
    const found = await parts.accounts.find(visit.account.id);
    const now = found === null ? visit : visitTo(found, visit);
    const status = refusal.refused === 'invalid_body' ? 400 : 409;
    const notice = { kind: 'bad', text: accountRefusalText(refusal, now.account) } as const;
    return show(ctx, now, notice, status, shownAgain(typed, parts.keyFormat));
  };

  const create: FormPage<HolderVisit> = async (ctx, visit, sent) => {
    const typed = typedKey(sent);
    const edit = readTypedKey(typed, parts.keyFormat);
    if (isRefusal(edit)) return refused(ctx, visit, edit, typed);
    if (!(await mayCreateKey(ctx, visit, parts))) return;
    const { label, controls } = edit;
    const seen = newestKeySeen(sent);
    const issued = await parts.issueKey(visit.account.id, label, CUSTOMER, { seen, controls });
    if (isRefusal(issued)) return refused(ctx, visit, issued, typed);
    const { viewer } = visit;
    const demo = parts.demo(KEYS_PATH, visit);
    const props = { viewer, issued, publicUrl: parts.publicUrl(), demo };
    return answerPage(ctx, <NewKeyPage {...props} rotates={null} />, 201);
  };

  const revoke: KeyHandler = async (ctx, _, key) => {
    const revoked = await parts.revokeKey(key.id, 'manual', null, CUSTOMER);
    return goTo(ctx, `${KEYS_PATH}?said=${isRefusal(revoked) ? revoked.refused : 'revoked'}`);
  };

  const list: Page<HolderVisit> = (ctx, visit) => show(ctx, visit, flashOf(parameter(ctx, 'said')));

  return [
    { path: KEYS_PATH, GET: page(list), POST: form(create) },
    {
      path: `${KEYS_PATH}/:id/revocation`,
      GET: page(pageWithKey(askToRevoke(parts))),
      POST: form(formWithKey(revoke)),
    },
  ];
}

/** Asks before a key is revoked at once. */
const askToRevoke =
  (parts: KeyParts): KeyHandler =>
  async (ctx, visit, key) => {
    const [view] = await parts.keyViews(visit.account, [key], visit.now);
    if (view === undefined || isPastGrace(key, visit)) return goTo(ctx, KEYS_PATH);
    const demo = parts.demo(KEYS_PATH, visit);
    return answerPage(ctx, <RevocationPage viewer={visit.viewer} view={view} demo={demo} />);
  };

function showKeys({ plans, keyViews, readLimits, sandboxKeys, demo }: KeyParts): ShowKeys {
  return async (ctx, visit, notice, status = 200, typed = NOTHING_TYPED) => {
    const { account, viewer, now } = visit;
    const plan = knownPlan(plans, account.subscription.plan);
    const current = account.keys.filter((key) => !isPastGrace(key, visit));
    const earlier = account.keys.filter((key) => isPastGrace(key, visit));
    const [limits, sandbox, ...views] = await Promise.all([
      readLimits(account.subscription),
      sandboxKeys.of(account.id),
      keyViews(account, current, now),
      keyViews(account, earlier.toReversed().slice(0, EARLIER_MAX), now),
    ]);
    const props: KeysPageProps = {
      ...{ viewer, account, plan, plans, limits, sandbox, now, notice },
      whyNotIssue: whyNotIssue(account, plan, now),
      ...{ typed, here: addressOfVisitor(ctx), current: views[0], earlier: views[1] },
      demo: demo(KEYS_PATH, visit),
    };
    answerPage(ctx, <KeysPage {...props} />, status);
  };
}

const isPastGrace = ({ state }: ApiKey, { now }: HolderVisit): boolean =>
  state.status === 'revoked' && graceUntil(state, now) === null;
