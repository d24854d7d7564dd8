import { NEW_SANDBOX_KEYS } from '../../../domain/limits/attempt.js';
import { answerPage } from '../page/answer.js';
import { answerError } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { goTo } from '../state.js';
import type { FormPage, HolderVisit } from '../visit.js';
import { KEYS_PATH, type KeyParts, mayCreateKey } from './key-page.js';
import { NewSandboxKeyPage, SANDBOX_KEY_PATH } from './sandbox-key-section.js';

/** Creates, replaces and deletes the sandbox key of an account (D139). The page of the keys shows it. */
export function sandboxKeyRoutes(parts: KeyParts): readonly PageRoute[] {
  const { visits, replaceSandboxKey, sandboxKeys, publicUrl, demo } = parts;

  const replace: FormPage<HolderVisit> = async (ctx, visit) => {
    if (!(await mayCreateKey(ctx, visit, parts, NEW_SANDBOX_KEYS))) return;
    const value = await replaceSandboxKey(visit.account.id);
    if (typeof value !== 'string') return answerError(ctx, 'not found');
    const props = { viewer: visit.viewer, value, publicUrl: publicUrl(), demo: demo(KEYS_PATH, visit) };
    return answerPage(ctx, <NewSandboxKeyPage {...props} />, 201);
  };

  const remove: FormPage<HolderVisit> = async (ctx, { account }) => {
    await sandboxKeys.remove(account.id);
    return goTo(ctx, `${KEYS_PATH}?said=sandbox_deleted`);
  };

  return [
    { path: SANDBOX_KEY_PATH, POST: visits.form(replace) },
    { path: `${SANDBOX_KEY_PATH}/deletion`, POST: visits.form(remove) },
  ];
}
