import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Account } from '../../../domain/accounts/account.js';
import { keyOf } from '../../../domain/keys/account-keys.js';
import { type ApiKey, graceUntil } from '../../../domain/keys/api-key.js';
import { stateAt } from '../../../domain/keys/expiry.js';
import type { Moment } from '../../../domain/moment.js';
import { isRefusal, refuse } from '../../../domain/refusal.js';
import { controlsJson } from '../accounts/account-json.js';
import { answerRefusal } from '../answer/problem.js';
import type { RouteHandler } from '../state.js';

/** GET /pm/v2/key: the key that was sent, as its owner has set it (D72). The gateway has admitted it. Takes no permit. */
export const getKey =
  ({ accounts, clock }: { readonly accounts: Accounts; readonly clock: Clock }): RouteHandler =>
  async (ctx) => {
    const { key: id } = ctx.state;
    if (id === null) throw new Error('the gateway has not admitted this request');
    const account = await accounts.findByKey(id);
    const key = account === null ? null : keyOf(account, id);
    // Deleted since the gateway has admitted it.
    if (account === null || key === null || isRefusal(key)) return answerRefusal(ctx, refuse('key_unknown'));
    ctx.set('Cache-Control', 'private, no-store');
    ctx.set('Vary', 'Authorization, X-API-Key');
    ctx.body = ownKeyJson(account, key, clock());
  };

/** The schema is `OwnKey`. A key that is admitted is active, or revoked with a grace window. */
function ownKeyJson({ keys }: Account, key: ApiKey, now: Moment) {
  const state = stateAt(key, now);
  return {
    key_id: key.id,
    prefix: key.prefix,
    label: key.label,
    scopes: key.scopes,
    status: state.status,
    grace_until: graceUntil(state, now),
    issued_at: key.issuedAt,
    ...controlsJson(key.controls),
    replaced_by: replacing(keys, key)?.prefix ?? null,
  };
}

/** The last key that a rotation has issued to replace this one, unless it is revoked itself. */
const replacing = (keys: readonly ApiKey[], { id }: ApiKey): ApiKey | undefined =>
  keys.findLast(({ predecessor, state }) => predecessor === id && state.status !== 'revoked');
