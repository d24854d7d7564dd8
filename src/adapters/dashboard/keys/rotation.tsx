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
  type FormOfKey,
  formOfKey,
  KEYS_PATH,
  type KeyParts,
  mayMakeKey,
  type OfKey,
  pageOfKey,
  seenIn,
} from './key-page.js';
import { NewKeyPage, RotationPage } from './rotation-pages.js';

const rotationOf = ({ id }: ApiKey): string => `${KEYS_PATH}/${id}/rotation`;

const saying = (key: ApiKey, { refused }: Refusal): string => `${rotationOf(key)}?said=${refused}`;

/** Rotation as a guided way (contract section 5.4): a new value, deploying it, retiring the old key, its last minutes. */
export function rotationRoutes(parts: KeyParts): readonly PageRoute[] {
  const { visits, keyViews } = parts;

  async function show(ctx: Context, visit: HolderVisit, key: ApiKey) {
    const { account, viewer, now } = visit;
    const successor = openSuccessor(account.keys, key) ?? successorOf(account, key);
    const [older, newer = null] = await keyViews(account, successor ? [key, successor] : [key], now);
    if (older === undefined) return answerError(ctx, 'not found');
    const demo = parts.demo(rotationOf(key), visit);
    const flash = flashOf(parameter(ctx, 'said'));
    return answerPage(ctx, <RotationPage {...{ viewer, account, older, newer, now, flash, demo }} />);
  }

  const rotate: FormOfKey = async (ctx, visit, key, form) => {
    if (!(await mayMakeKey(ctx, visit, parts))) return;
    const rotated = await parts.rotateKey(key.id, null, CUSTOMER, seenIn(form));
    if (isRefusal(rotated)) return goTo(ctx, saying(key, rotated));
    const page = {
      viewer: visit.viewer,
      value: rotated.value,
      publicUrl: parts.publicUrl(),
      demo: parts.demo(rotationOf(key), visit),
    };
    return answerPage(ctx, <NewKeyPage {...page} rotates={key} />, 201);
  };

  const retire: OfKey = async (ctx, _, key) => {
    const retired = await parts.revokeKey(key.id, 'rotation', null, CUSTOMER);
    // Sent twice: it is retired, and the page says so.
    const isDone = !isRefusal(retired) || retired.refused === 'key_revoked';
    return goTo(ctx, isDone ? rotationOf(key) : saying(key, retired));
  };

  return [
    {
      path: `${KEYS_PATH}/:id/rotation`,
      GET: visits.page(pageOfKey(show)),
      POST: visits.form(formOfKey(rotate)),
    },
    { path: `${KEYS_PATH}/:id/retirement`, POST: visits.form(formOfKey(retire)) },
  ];
}

/** The key that took the place of one that is retired. */
const successorOf = ({ keys }: Account, { id, state }: ApiKey): ApiKey | undefined =>
  state.status === 'revoked' ? keys.findLast(({ predecessor }) => predecessor === id) : undefined;
