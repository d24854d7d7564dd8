import type { ComponentChildren } from 'preact';
import type { EditKey } from '../../../application/keys/edit-key.js';
import type { IssueKey } from '../../../application/keys/issue-key.js';
import type { ReplaceSandboxKey } from '../../../application/keys/replace-sandbox-key.js';
import type { RevokeKey } from '../../../application/keys/revoke-key.js';
import type { RotateKey } from '../../../application/keys/rotate-key.js';
import type { CountAttempt } from '../../../application/limits/count-attempt.js';
import type { ReadLimits } from '../../../application/limits/read-limits.js';
import type { RecentRequests } from '../../../application/limits/recent-requests.js';
import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { KeyUses } from '../../../application/ports/keys/key-uses.js';
import type { SandboxKeys } from '../../../application/ports/keys/sandbox-keys.js';
import type { StreamSlots } from '../../../application/ports/limits/stream-slots.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { Plans } from '../../../domain/billing/plan.js';
import type { ApiKey, KeyId } from '../../../domain/keys/api-key.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { NEW_KEYS } from '../../../domain/limits/attempt.js';
import type { Policy } from '../../../domain/limits/rate-limit.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import type { Context } from '../state.js';
import type { FormPage, HolderVisit, Page, Visits } from '../visit.js';
import type { KeyViews } from './key-view.js';

export const KEYS_PATH = '/dashboard/keys';

/** Dependencies of the pages about keys. */
export type KeyParts = {
  readonly visits: Visits<HolderVisit>;
  readonly accounts: Accounts;
  readonly issueKey: IssueKey;
  readonly editKey: EditKey;
  readonly rotateKey: RotateKey;
  readonly revokeKey: RevokeKey;
  readonly sandboxKeys: Pick<SandboxKeys, 'of' | 'remove'>;
  readonly replaceSandboxKey: ReplaceSandboxKey;
  readonly countAttempt: CountAttempt;
  readonly readLimits: ReadLimits;
  readonly usage: UsageHistory;
  readonly keyUses: KeyUses;
  readonly keyViews: KeyViews;
  readonly recentRequests: Pick<RecentRequests, 'of'>;
  readonly streamSlots: Pick<StreamSlots, 'openByKey'>;
  readonly plans: Plans;
  readonly keyFormat: KeyFormat;
  readonly publicUrl: () => string;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** Handles a request about one key of the account. */
export type KeyHandler = (ctx: Context, visit: HolderVisit, key: ApiKey) => Promise<void> | void;

/** Undefined for a key of another account. */
const keyIn = (ctx: Context, { keys }: Account): ApiKey | undefined =>
  keys.find(({ id }) => id === ctx.params['id']);

export const pageWithKey =
  (show: KeyHandler): Page<HolderVisit> =>
  (ctx, visit) => {
    const key = keyIn(ctx, visit.account);
    return key === undefined ? answerError(ctx, 'not found') : show(ctx, visit, key);
  };

export type KeyFormHandler = (
  ctx: Context,
  visit: HolderVisit,
  key: ApiKey,
  form: URLSearchParams,
) => Promise<void> | void;

export const formWithKey =
  (take: KeyFormHandler): FormPage<HolderVisit> =>
  (ctx, visit, form) =>
    pageWithKey((_, __, key) => take(ctx, visit, key, form))(ctx, visit);

/** The newest key when the page of the form was rendered; null if there was none. */
export const newestKeySeen = (form: URLSearchParams): KeyId | null =>
  (form.get('seen') || null) as KeyId | null;

/** False, with an answer sent, after too many new keys: keys stay in the account forever, revoked ones too. */
export async function mayCreateKey(
  ctx: Context,
  { account }: HolderVisit,
  { countAttempt }: KeyParts,
  policy: Policy = NEW_KEYS,
): Promise<boolean> {
  const wait = await countAttempt(account.id, policy);
  if (wait !== null) await answerTooMany(ctx, wait);
  return wait === null;
}
