import type { AccountId } from '../../domain/accounts/account.js';
import type { KeyFormat, KeyValue } from '../../domain/keys/key-value.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Clock } from '../ports/clock.js';
import type { HashKey, Ids } from '../ports/ids.js';
import type { SandboxKeys } from '../ports/keys/sandbox-keys.js';

/** Gives an account a new sandbox key, in place of the one that it has (D139). The value is shown only once. */
export const replaceSandboxKey = (parts: {
  readonly sandboxKeys: Pick<SandboxKeys, 'put'>;
  readonly sandboxKeyFormat: KeyFormat;
  readonly ids: Ids;
  readonly hashKey: HashKey;
  readonly clock: Clock;
}) =>
  async function replaceSandboxKey(account: AccountId): Promise<KeyValue | Refusal<'not_found'>> {
    const { sandboxKeys, sandboxKeyFormat, ids, hashKey, clock } = parts;
    const value = sandboxKeyFormat.compose(ids.keySuffix());
    const key = { hash: hashKey(value), prefix: sandboxKeyFormat.shown(value), createdAt: clock() };
    return (await sandboxKeys.put(account, key)) ? value : { refused: 'not_found', what: 'account' };
  };

export type ReplaceSandboxKey = ReturnType<typeof replaceSandboxKey>;
