import type { Hold } from '../../../application/accounts/hold.js';
import type { IssuedKey } from '../../../application/keys/fresh-key.js';
import type { IssueKey } from '../../../application/keys/issue-key.js';
import type { RevokeKey } from '../../../application/keys/revoke-key.js';
import type { RotateKey } from '../../../application/keys/rotate-key.js';
import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { Reason } from '../../../domain/accounts/reason.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { type Label, readLabel } from '../../../domain/keys/label.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import { issuedKeyJson } from '../accounts/account-json.js';
import { type AccountViews, STATUSES } from '../accounts/account-views.js';
import { type HoldRequest, OPERATOR, type Release, releaseEvent } from '../accounts/accounts.js';
import { BODY_MAX, takesReason } from '../accounts/reason-body.js';
import { takesJson } from '../answer/body.js';
import { answerRefusal } from '../answer/problem.js';
import type { RouteContext, RouteHandler } from '../state.js';

type NewKey = { readonly label?: string };
type Revocation = { readonly cause: 'rotation' | 'manual'; readonly reason?: Reason };

const keyId = (ctx: RouteContext) => (ctx.params['id'] ?? '') as KeyId;

/** `/internal/v1/keys…`, and `…/accounts/{id}/keys` (D30). */
export function keyHandlers(parts: {
  readonly accounts: Accounts;
  readonly issueKey: IssueKey;
  readonly rotateKey: RotateKey;
  readonly revokeKey: RevokeKey;
  readonly hold: Hold;
  readonly accountViews: AccountViews;
  readonly clock: Clock;
  readonly keyFormat: KeyFormat;
}) {
  const { accounts, issueKey, rotateKey, revokeKey, hold, accountViews, clock, keyFormat } = parts;
  const takesReasoned = takesReason(keyFormat);

  /** Creates a key with the label that was sent. Only this response has its value. */
  const creates = (create: (ctx: RouteContext, label: Label | null) => Promise<IssuedKey | Refusal>) =>
    takesJson<NewKey>('NewKey', BODY_MAX, async (ctx, body) => {
      const label = body.label === undefined ? null : readLabel(body.label, keyFormat);
      if (label !== null && typeof label === 'object') return answerRefusal(ctx, label);
      const issued = await create(ctx, label);
      if (isRefusal(issued)) return answerRefusal(ctx, issued, STATUSES);
      ctx.status = 201;
      ctx.set('Cache-Control', 'no-store');
      ctx.body = issuedKeyJson(issued.account, issued.key, issued.value, clock());
    });

  return {
    issue: creates((ctx, label) => issueKey((ctx.params['id'] ?? '') as AccountId, label, OPERATOR)),
    rotate: creates((ctx, label) => rotateKey(keyId(ctx), label, OPERATOR)),

    get: (async (ctx) =>
      accountViews.key(ctx, await accounts.findByKey(keyId(ctx)), keyId(ctx))) as RouteHandler,

    revoke: takesReasoned<Revocation>('Revocation', async (ctx, { cause, reason = null }) => {
      await accountViews.key(ctx, await revokeKey(keyId(ctx), cause, reason, OPERATOR), keyId(ctx));
    }),

    hold: takesReasoned<HoldRequest>('HoldRequest', async (ctx, { reason }) => {
      await accountViews.key(ctx, await hold.onKey(keyId(ctx), 'held', reason, OPERATOR), keyId(ctx));
    }),

    release: takesReasoned<Release>('Release', async (ctx, release) => {
      const { reason = null } = release;
      await accountViews.key(
        ctx,
        await hold.onKey(keyId(ctx), releaseEvent(release), reason, OPERATOR),
        keyId(ctx),
      );
    }),
  };
}
