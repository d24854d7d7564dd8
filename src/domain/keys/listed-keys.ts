import type { Account } from '../accounts/account.js';
import type { Moment } from '../moment.js';
import { type ApiKey, graceUntil } from './api-key.js';
import { NO_CONTROLS } from './key-controls.js';

/**
 * An account lists its keys: each one that can still change, and of the revoked ones the last that were issued. The others
 * are closed: the store keeps their last state, which is final, outside the account. So the size of an account does not grow
 * with the number of its rotations (D23).
 */
export const REVOKED_KEYS_LISTED = 20;

/** Whether no event changes the state any more: revoked, without a grace window, and not on hold (D21, D22). */
const isFinal = ({ state }: ApiKey, now: Moment): boolean =>
  state.status === 'revoked' && !state.held && graceUntil(state, now) === null;

/** The keys that an account goes on to list. `keys` are in the order they were issued, and so is the result. */
export function listedKeys(keys: readonly ApiKey[], now: Moment): readonly ApiKey[] {
  const final = keys.filter((key) => isFinal(key, now));
  const closed = new Set(final.slice(0, -REVOKED_KEYS_LISTED));
  return closed.size === 0 ? keys : keys.filter((key) => !closed.has(key));
}

/** The keys that a change closed, as they are kept. */
export function closedKeys(before: readonly ApiKey[], next: readonly ApiKey[]): readonly ApiKey[] {
  const listed = new Set(next.map(({ id }) => id));
  return before.filter(({ id }) => !listed.has(id)).map(withoutPersonalData);
}

/** Labels and allowed addresses are personal data of the account (D42). A revoked key needs neither. */
export const withoutPersonalData = (key: ApiKey): ApiKey => ({
  ...key,
  label: null,
  controls: NO_CONTROLS,
  remindAt: null,
});

/** An account as it is shown with one of its closed keys. */
export const withClosedKey = (account: Account, key: ApiKey): Account => ({
  ...account,
  keys: [key, ...account.keys],
});
