import type { AccountId } from '../../../domain/accounts/account.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import type { SuspensionCause } from '../../../domain/keys/suspension.js';

/** The account of a sandbox key, and the causes that suspend its subscription. */
export type SandboxHolder = { readonly account: AccountId; readonly causes: readonly SuspensionCause[] };

/** Finds the account of a sandbox key by the hash of the key (D77). Null: there is no such key. */
export type FindSandboxHolder = (hash: KeyHash) => Promise<SandboxHolder | null>;
