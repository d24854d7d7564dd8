import { DAY, type Duration, type Moment, plus } from '../moment.js';
import { type ApiKey, type KeyState, transition } from './api-key.js';

/**
 * The expiry of a key (D72). The gateway judges it by the clock, from its copy of the key. So it is in force to the second, also
 * while the database is unavailable. From then on the key is revoked with the cause `expiry`: without a grace window, and a running
 * one ends. Due work writes that down later, with the time of the expiry.
 */
type Expiring = Pick<ApiKey, 'state'> & { readonly controls: Pick<ApiKey['controls'], 'expiresAt'> | null };

/** The state of a key at a time: the stored one, or the one after its expiry that nobody has written yet. */
export function stateAt({ state, controls }: Expiring, now: Moment): KeyState {
  const expiresAt = controls?.expiresAt ?? null;
  // The table refuses the event in no state.
  return expiresAt === null || now < expiresAt
    ? state
    : (transition(state, 'expired', expiresAt) as KeyState);
}

/** How long before the expiry its owner is reminded. */
const REMINDERS: readonly Duration[] = [7 * DAY, DAY];

/** The next reminder after a time; null if there is none. */
export const nextReminder = (expiresAt: Moment | null, after: Moment): Moment | null =>
  expiresAt === null
    ? null
    : (REMINDERS.map((before) => plus(expiresAt, -before)).find((at) => at > after) ?? null);

/** What the service does at a time because of the expiry of a key. */
export type DueExpiry = { readonly key: ApiKey; readonly at: Moment; readonly what: 'remind' | 'expire' };

/** What the service will do because keys expire, the first one first. A revoked key has nothing to lose. */
export const dueExpiries = (keys: readonly ApiKey[]): readonly DueExpiry[] =>
  keys
    .filter(({ state }) => state.status !== 'revoked')
    .flatMap((key): readonly DueExpiry[] => {
      const { expiresAt } = key.controls;
      return [
        ...(key.remindAt === null ? [] : [{ key, at: key.remindAt, what: 'remind' as const }]),
        ...(expiresAt === null ? [] : [{ key, at: expiresAt, what: 'expire' as const }]),
      ];
    })
    .sort((a, b) => (a.at < b.at ? -1 : 1));
