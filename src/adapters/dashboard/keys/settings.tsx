import { knownPlan } from '../../../application/billing/known-plan.js';
import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import { keyOf, seenSettings } from '../../../domain/keys/account-keys.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import { KEY_CHANGES } from '../../../domain/limits/attempt.js';
import { type Fault, isRefusal, type Refusal } from '../../../domain/refusal.js';
import { answerPage } from '../page/answer.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { PageRoute } from '../page-router.js';
import { type Context, goTo, parameter } from '../state.js';
import { type HolderVisit, visitTo } from '../visit.js';
import { type Flash, flashOf } from './flash.js';
import { formWithKey, KEYS_PATH, type KeyFormHandler, type KeyParts, pageWithKey } from './key-page.js';
import { SettingsPage } from './settings-page.js';
import { addressOfVisitor, readTypedKey, shownAgain, type TypedKey, typedKey, typedOf } from './typed-key.js';

const keyPath = ({ id }: ApiKey): string => `${KEYS_PATH}/${id}`;

/** What the page shows besides the key: a message, or the errors of a form with what was typed. */
type Shown = {
  readonly notice?: Flash | null;
  readonly faults?: readonly Fault[];
  readonly typed?: TypedKey;
  /** The settings that the form began with. */
  readonly seen?: string;
};

/** The page of one key, where its owner renames it and limits it to its use (D72). */
export function keySettingsRoutes(parts: KeyParts): readonly PageRoute[] {
  const { visits } = parts;
  const show = showSettings(parts);
  const page = pageWithKey((ctx, visit, key) =>
    show(ctx, visit, key, { notice: flashOf(parameter(ctx, 'said')) }),
  );
  return [
    { path: `${KEYS_PATH}/:id`, GET: visits.page(page), POST: visits.form(formWithKey(saving(parts, show))) },
  ];
}

type Show = (ctx: Context, visit: HolderVisit, key: ApiKey, shown: Shown, status?: number) => Promise<void>;

function showSettings({ plans, keyViews, recentRequests, streamSlots, demo }: KeyParts): Show {
  return async (ctx, visit, key, shown, status = 200) => {
    const { notice = null, faults = [], typed = typedOf(key), seen = seenSettings(key) } = shown;
    const { account, viewer, now } = visit;
    const [[view], requests, streams] = await Promise.all([
      keyViews(account, [key], now),
      recentRequests.of([key.id]),
      streamSlots.openByKey(account.subscription.id),
    ]);
    if (view === undefined) return answerError(ctx, 'not found');
    const plan = knownPlan(plans, account.subscription.plan);
    const page = {
      viewer,
      view,
      plan,
      now,
      notice,
      faults,
      typed,
      seen,
      requests,
      streams,
      here: addressOfVisitor(ctx),
    };
    answerPage(ctx, <SettingsPage {...page} demo={demo(keyPath(key), visit)} />, status);
  };
}

function saving(parts: KeyParts, show: Show): KeyFormHandler {
  return async (ctx, visit, key, form) => {
    const sent = typedKey(form);
    const typed = shownAgain(sent, parts.keyFormat);
    const edit = readTypedKey(sent, parts.keyFormat);
    const seen = form.get('seen') ?? '';
    const refused = (faults: readonly Fault[]) => show(ctx, visit, key, { faults, typed, seen }, 400);
    if (isRefusal(edit)) return refused(edit.faults);
    const wait = await parts.countAttempt(visit.account.id, KEY_CHANGES);
    if (wait !== null) return answerTooMany(ctx, wait);
    const saved = await parts.editKey(key.id, { ...edit, seen }, CUSTOMER);
    if (!isRefusal(saved)) return goTo(ctx, `${keyPath(key)}?said=saved`);
    if (saved.refused === 'invalid_body') return refused(saved.faults);
    return notSaved(parts, show, ctx, visit, key, saved);
  };
}

/** The key as it is now: it was changed meanwhile, was revoked, or has expired. */
async function notSaved(
  { accounts }: KeyParts,
  show: Show,
  ctx: Context,
  visit: HolderVisit,
  key: ApiKey,
  refusal: Refusal,
): Promise<void> {
  const found = await accounts.find(visit.account.id);
  const current = found === null ? visit : visitTo(found, visit);
  const stored = keyOf(current.account, key.id);
  const notice: Flash = { kind: 'bad', text: accountRefusalText(refusal, current.account) };
  return show(ctx, current, isRefusal(stored) ? key : stored, { notice }, 409);
}
