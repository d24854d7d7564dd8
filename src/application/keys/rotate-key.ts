import type { Reason } from '../../domain/accounts/reason.js';
import { keyOf, rotateKey as rotating, whyOutdated } from '../../domain/keys/account-keys.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { Label } from '../../domain/keys/label.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import { changeByKey } from './change-by-key.js';
import type { IssuedKey, MakeKey } from './fresh-key.js';

/** Issues the successor of a key; both work until the older one is retired (D23). `seen` is as for `issueKey`. */
export const rotateKey = (parts: {
  readonly accounts: Accounts;
  readonly makeKey: MakeKey;
  readonly clock: Clock;
}) =>
  async function rotateKey(
    id: KeyId,
    label: Label | null,
    actor: string,
    seen?: KeyId | null,
    comment: Reason | null = null,
  ): Promise<IssuedKey | Refusal> {
    const reason = comment === null ? `succeeds ${id}` : `succeeds ${id}: ${comment}`;
    const context = { actor, reason, at: parts.clock() };
    const { fresh, value } = parts.makeKey(label);
    const account = await changeByKey(parts.accounts, id, context.at, (current) => {
      const outdated = seen === undefined ? null : whyOutdated(current, seen);
      return outdated ?? rotating(current, id, fresh, context);
    });
    if (isRefusal(account)) return account;
    const key = keyOf(account, fresh.id);
    return isRefusal(key) ? key : { account, key, value };
  };

export type RotateKey = ReturnType<typeof rotateKey>;
