import { CUSTOMER } from '../../../application/find-or-open-account.js';
import type { Account } from '../../../domain/account.js';
import { openSuccessor } from '../../../domain/allowance.js';
import type { ApiKey } from '../../../domain/api-key.js';
import { isRefusal } from '../../../domain/refusal.js';
import { answerPage } from '../page/answer.js';
import { answerError } from '../page/error-page.js';
import { refusalWords } from '../page/refusal-words.js';
import type { PageRoute } from '../page-router.js';
import { type Context, goTo } from '../state.js';
import type { HolderVisit } from '../visit.js';
import { formOfKey, KEYS_PATH, type KeyParts, type OfKey, pageOfKey } from './key-page.js';
import { NewKeyPage, RotationPage } from './rotation-pages.js';

const rotationOf = ({ id }: ApiKey): string => `${KEYS_PATH}/${id}/rotation`;

/** Rotation as a guided way (section 5.4): a new value, deploying it, retiring the old key, its last minutes. */
export function rotationRoutes(parts: KeyParts): readonly PageRoute[] {
  const { visits, keyViews } = parts;

  async function show(ctx: Context, visit: HolderVisit, key: ApiKey, notice: string | null) {
    const { account, viewer, now } = visit;
    const successor = openSuccessor(account.keys, key) ?? successorOf(account, key);
    const [older, newer = null] = await keyViews(account, successor ? [key, successor] : [key], now);
    if (older === undefined) return answerError(ctx, 'not found');
    const demo = parts.demo(rotationOf(key), visit);
    const page = <RotationPage {...{ viewer, account, older, newer, now, notice, demo }} />;
    return answerPage(ctx, page, notice === null ? 200 : 409);
  }

  const rotate: OfKey = async (ctx, visit, key) => {
    const rotated = await parts.rotateKey(key.id, null, CUSTOMER);
    // Sent twice: the rotation is under way, and its page says how it stands.
    if (isRefusal(rotated) && rotated.refused === 'rotation_open') return goTo(ctx, rotationOf(key));
    if (isRefusal(rotated)) return show(ctx, visit, key, refusalWords(rotated));
    const page = {
      viewer: visit.viewer,
      value: rotated.value,
      publicUrl: parts.publicUrl(),
      demo: parts.demo(rotationOf(key), visit),
    };
    return answerPage(ctx, <NewKeyPage {...page} rotates={key} />, 201);
  };

  const retire: OfKey = async (ctx, visit, key) => {
    const retired = await parts.revokeKey(key.id, 'rotation', null, CUSTOMER);
    return isRefusal(retired) && retired.refused !== 'key_revoked'
      ? show(ctx, visit, key, refusalWords(retired))
      : goTo(ctx, rotationOf(key));
  };

  return [
    {
      path: `${KEYS_PATH}/:id/rotation`,
      GET: visits.page(pageOfKey((ctx, visit, key) => show(ctx, visit, key, null))),
      POST: visits.form(formOfKey(rotate)),
    },
    { path: `${KEYS_PATH}/:id/retirement`, POST: visits.form(formOfKey(retire)) },
  ];
}

/** The key that took the place of one that is retired. */
const successorOf = ({ keys }: Account, { id, state }: ApiKey): ApiKey | undefined =>
  state.status === 'revoked' ? keys.findLast(({ predecessor }) => predecessor === id) : undefined;
