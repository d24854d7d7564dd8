import type { ComponentChildren } from 'preact';
import type { IssueKey } from '../../../application/issue-key.js';
import type { Accounts } from '../../../application/ports/accounts.js';
import type { RevokeKey } from '../../../application/revoke-key.js';
import type { RotateKey } from '../../../application/rotate-key.js';
import type { Account } from '../../../domain/account.js';
import type { ApiKey } from '../../../domain/api-key.js';
import type { Plans } from '../../../domain/plan.js';
import { answerError } from '../page/error-page.js';
import type { Context } from '../state.js';
import type { FormPage, HolderVisit, Page, Visits } from '../visit.js';
import type { KeyViews } from './key-view.js';

export const KEYS_PATH = '/dashboard/keys';

/** What the pages on keys are made with. */
export type KeyParts = {
  readonly visits: Visits<HolderVisit>;
  readonly accounts: Accounts;
  readonly issueKey: IssueKey;
  readonly rotateKey: RotateKey;
  readonly revokeKey: RevokeKey;
  readonly keyViews: KeyViews;
  readonly plans: Plans;
  readonly publicUrl: () => string;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** Shows, or does, something about one key. */
export type OfKey = (ctx: Context, visit: HolderVisit, key: ApiKey) => Promise<void> | void;

/** A key of somebody else is no key at all. */
const keyIn = (ctx: Context, { keys }: Account): ApiKey | undefined =>
  keys.find(({ id }) => id === ctx.params['id']);

export const pageOfKey =
  (show: OfKey): Page<HolderVisit> =>
  (ctx, visit) => {
    const key = keyIn(ctx, visit.account);
    return key === undefined ? answerError(ctx, 'not found') : show(ctx, visit, key);
  };

export const formOfKey = (take: OfKey): FormPage<HolderVisit> => pageOfKey(take);
