import type { Account } from '../../domain/accounts/account.js';
import type { FreshKey } from '../../domain/keys/account-keys.js';
import type { ApiKey } from '../../domain/keys/api-key.js';
import type { KeyFormat, KeyValue } from '../../domain/keys/key-value.js';
import type { Label } from '../../domain/keys/label.js';
import type { HashKey, Ids } from '../ports/ids.js';

/** A key that has just been stored, with its value. The value is shown only once (contract section 5.3). */
export type IssuedKey = { readonly account: Account; readonly key: ApiKey; readonly value: KeyValue };

/** Generates a key that no account has yet. */
export const freshKey = (parts: {
  readonly ids: Ids;
  readonly keyFormat: KeyFormat;
  readonly hashKey: HashKey;
}) =>
  function freshKey(label: Label | null): { fresh: FreshKey; value: KeyValue } {
    const { ids, keyFormat, hashKey } = parts;
    const value = keyFormat.compose(ids.keySuffix());
    return { fresh: { id: ids.key(), hash: hashKey(value), prefix: keyFormat.shown(value), label }, value };
  };

export type MakeKey = ReturnType<typeof freshKey>;
