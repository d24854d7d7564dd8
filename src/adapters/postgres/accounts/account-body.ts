import type { Account } from '../../../domain/accounts/account.js';
import type { Subscription } from '../../../domain/billing/subscription.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import { type KeyControls, NO_CONTROLS, setControls } from '../../../domain/keys/key-controls.js';
import type { Moment } from '../../../domain/moment.js';

/** A key in a stored account, or in the column `api_key.closed`. */
export type KeyBody = Omit<ApiKey, 'firstUsedAt' | 'controls' | 'remindAt'> & {
  /** Absent if it is null, and in the rows of versions that end an overlap 24 hours after the rotation. */
  readonly firstUsedAt?: Moment;
  /** Absent if nothing is set. Versions that enforce no controls keep them when they write the account. */
  readonly controls?: KeyControls;
  /** Absent if it is null. */
  readonly remindAt?: Moment;
};

/**
 * The JSON in the column `account.body`. Some fields have their names of version 0.2.0, because that version also reads
 * them.
 */
export type AccountBody = Omit<Account, 'subscription' | 'closedKeys' | 'keys' | 'askTiesAt'> & {
  readonly keys: readonly KeyBody[];
  /** Absent if it is 0, and in the rows of versions that close no keys. */
  readonly closedKeys?: number;
  /** Absent if it is null, and in the rows of versions that ask no such question. */
  readonly askTiesAt?: Moment;
  readonly subscription: Omit<Subscription, 'suspension' | 'monitoring'> & {
    readonly standing: Subscription['suspension'];
    readonly watch: Subscription['monitoring'];
  };
};

export const keyFromBody = ({ firstUsedAt, controls, remindAt, ...key }: KeyBody): ApiKey => ({
  ...key,
  firstUsedAt: firstUsedAt ?? null,
  controls: controls ?? NO_CONTROLS,
  remindAt: remindAt ?? null,
});

export function bodyOfKey({ firstUsedAt, controls, remindAt, ...key }: ApiKey): KeyBody {
  const set = setControls(controls);
  return {
    ...key,
    ...(firstUsedAt !== null && { firstUsedAt }),
    ...(set !== null && { controls: set }),
    ...(remindAt !== null && { remindAt }),
  };
}

export function accountOf({ subscription, closedKeys = 0, askTiesAt, ...account }: AccountBody): Account {
  const { standing, watch, ...others } = subscription;
  return {
    ...account,
    keys: account.keys.map(keyFromBody),
    closedKeys,
    askTiesAt: askTiesAt ?? null,
    subscription: { ...others, suspension: standing, monitoring: watch },
  };
}

export function bodyOf({ subscription, closedKeys, askTiesAt, ...account }: Account): AccountBody {
  const { suspension, monitoring, ...others } = subscription;
  const closed = closedKeys === 0 ? {} : { closedKeys };
  return {
    ...account,
    keys: account.keys.map(bodyOfKey),
    ...closed,
    ...(askTiesAt !== null && { askTiesAt }),
    subscription: { ...others, standing: suspension, watch: monitoring },
  };
}
