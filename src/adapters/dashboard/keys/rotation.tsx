import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import { openSuccessor } from '../../../domain/keys/overlap.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import { answerPage } from '../page/answer.js';
import { answerError } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { type Context, goTo, parameter } from '../state.js';
import type { HolderVisit } from '../visit.js';
import { flashOf } from './flash.js';
import {
  formWithKey,
  KEYS_PATH,
  type KeyFormHandler,
  type KeyHandler,
  type KeyParts,
  mayCreateKey,
  newestKeySeen,
  pageWithKey,
} from './key-page.js';
import { NewKeyPage } from './new-key-page.js';
import { RotationPage } from './rotation-pages.js';

const rotationPath = ({ id }: ApiKey): string => `${KEYS_PATH}/${id}/rotation`;

const withRefusal = (key: ApiKey, { refused }: Refusal): string => `${rotationPath(key)}?said=${refused}`;

/** Guided rotation (contract section 5.4): create a key, deploy it, retire the old key, wait for its grace to end. */
export function rotationRoutes(parts: KeyParts): readonly PageRoute[] {
  const { visits, keyViews } = parts;

  async function show(ctx: Context, visit: HolderVisit, key: ApiKey) {
    const { account, viewer, now } = visit;
    const successor = openSuccessor(account.keys, key) ?? successorOf(account, key);
    const [older, newer = null] = await keyViews(account, successor ? [key, successor] : [key], now);
    if (older === undefined) return answerError(ctx, 'not found');
    const demo = parts.demo(rotationPath(key), visit);
    const flash = flashOf(parameter(ctx, 'said'));
    return answerPage(ctx, <RotationPage {...{ viewer, account, older, newer, now, flash, demo }} />);
  }

  const rotate: KeyFormHandler = async (ctx, visit, key, form) => {
    if (!(await mayCreateKey(ctx, visit, parts))) return;
    const rotated = await parts.rotateKey(key.id, null, CUSTOMER, newestKeySeen(form));
    if (isRefusal(rotated)) return goTo(ctx, withRefusal(key, rotated));
    const page = {
      viewer: visit.viewer,
      issued: rotated,
      publicUrl: parts.publicUrl(),
      demo: parts.demo(rotationPath(key), visit),
    };
    return answerPage(ctx, <NewKeyPage {...page} rotates={key} />, 201);
  };

  const retire: KeyHandler = async (ctx, _, key) => {
    const retired = await parts.revokeKey(key.id, 'rotation', null, CUSTOMER);
    // The form was sent twice: the key is already retired, and the page shows that.
    const isDone = !isRefusal(retired) || retired.refused === 'key_revoked';
    return goTo(ctx, isDone ? rotationPath(key) : withRefusal(key, retired));
  };

  return [
    {
      path: `${KEYS_PATH}/:id/rotation`,
      GET: visits.page(pageWithKey(show)),
      POST: visits.form(formWithKey(rotate)),
    },
    { path: `${KEYS_PATH}/:id/retirement`, POST: visits.form(formWithKey(retire)) },
  ];
}

/** The key that replaced a retired one. */
const successorOf = ({ keys }: Account, { id, state }: ApiKey): ApiKey | undefined =>
  state.status === 'revoked' ? keys.findLast(({ predecessor }) => predecessor === id) : undefined;
