import type { Access, Obstacle } from '../../../domain/accounts/access.js';
import {
  isServedState,
  type Subscription,
  type SubscriptionState,
} from '../../../domain/billing/subscription.js';
import { causesOf, type RevocationCause } from '../../../domain/keys/api-key.js';
import type { SuspensionCause } from '../../../domain/keys/suspension.js';
import type { AccessRefusal } from '../../../domain/limits/admission.js';

/**
 * Every text about a state of a subscription or a key. The tables are complete by type; `dashboard-states.spec.ts`
 * compares the status codes with the answers of the API.
 */
type ObstacleText = {
  /** The status code that the API answers to the keys of the subscription. */
  readonly answers: 401 | 402;
  readonly why: string;
  /** What to do to restore access; an invoice is mentioned only where one is known to be open. */
  readonly restore: string;
  readonly restoreOwing?: string;
};

// biome-ignore format: a table is read by its columns
const OBSTACLES: Readonly<Record<Obstacle, ObstacleText>> = {
  canceled:        { answers: 401, why: 'The subscription has ended, and its keys are revoked for good.', restore: 'Subscribe again: write to us, because this account cannot open another checkout. Then create new keys.' },
  incomplete:      { answers: 402, why: 'The first payment has not gone through.',                        restore: 'Complete the first payment.' },
  paused:          { answers: 402, why: 'The subscription is paused.',                                    restore: 'Resume the subscription.' },
  unpaid:          { answers: 402, why: 'The subscription is unpaid.',                                    restore: 'Check your payment method.', restoreOwing: 'Pay every open invoice.' },
  payment_failure: { answers: 402, why: 'An invoice was not paid in time.',                               restore: 'Check your payment method.', restoreOwing: 'Pay every open invoice.' },
  abuse:           { answers: 402, why: 'Your keys are used in a way that looks like abuse.',              restore: 'Write to us and say which programs use your keys.' },
  manual_hold:     { answers: 402, why: 'We have placed a hold.',                                         restore: 'Write to us: we lift it once the matter is settled.' },
};

const OWING_AS_WELL = 'A payment failed as well. Pay every open invoice.';

/**
 * Why requests are refused, and what to do about it, each sentence once. An open invoice that is not what stands in the
 * way yet is named after that.
 */
export function obstacleText(obstacles: readonly Obstacle[], owing: boolean): string {
  const rows = obstacles.map((obstacle) => OBSTACLES[obstacle]);
  const sentences = rows.flatMap(({ why, restore, restoreOwing = restore }) => [
    why,
    owing ? restoreOwing : restore,
  ]);
  const isNamed = rows.some(({ restoreOwing }) => restoreOwing !== undefined);
  return [...new Set([...sentences, ...(owing && !isNamed ? [OWING_AS_WELL] : [])])].join(' ');
}

/**
 * What the API answers to the keys of a subscription with these obstacles, in the order of `obstaclesOf`: its state comes
 * first, and so does the revocation of its keys.
 */
export const answersOf = ([first]: readonly Obstacle[]): number | null =>
  first === undefined ? null : OBSTACLES[first].answers;

type Refused = Extract<Access, { readonly status: 'refused' }>;

/** What the API answers to the keys of an account that is refused: revoked ones get 401 in every state. */
export const refusedAnswer = ({ obstacles, keysAreRevoked }: Refused): number | null =>
  answersOf(keysAreRevoked ? ['canceled'] : obstacles);

/** What becomes of the keys once the obstacles are gone. */
export const restoredText = ({ obstacles, keysAreRevoked }: Refused): string => {
  if (obstacles.includes('canceled')) return 'The old keys stay revoked.';
  if (keysAreRevoked) return 'Then create new keys: the old ones stay revoked.';
  return obstacles.length === 1
    ? 'Your keys then work again, unchanged.'
    : 'Your keys work again, unchanged, once all of this is settled.';
};

export type BadgeKind = 'good' | 'warning' | 'bad' | 'off';
type BadgeText = { readonly kind: BadgeKind; readonly text: string };

/** The badge of a key, by what a request with it meets. */
// biome-ignore format: a table is read by its columns
export const KEY_BADGES: Readonly<Record<AccessRefusal['refused'] | 'active' | 'in_grace', BadgeText>> = {
  active:                  { kind: 'good',    text: 'active' },
  in_grace:                { kind: 'warning', text: 'works a little longer' },
  key_revoked:             { kind: 'off',     text: 'revoked: 401' },
  key_suspended:           { kind: 'bad',     text: 'on hold: 402' },
  payment_required:        { kind: 'bad',     text: 'refused: 402' },
  subscription_incomplete: { kind: 'bad',     text: 'refused: 402' },
  subscription_paused:     { kind: 'bad',     text: 'refused: 402' },
};

const STATE_NAMES: Readonly<Record<SubscriptionState, string>> = {
  trialing: 'on trial',
  active: 'active',
  incomplete: 'incomplete',
  paused: 'paused',
  unpaid: 'unpaid',
  canceled: 'canceled',
};

export const CAUSE_NAMES: Readonly<Record<SuspensionCause | RevocationCause, string>> = {
  payment_failure: 'payment failure',
  abuse: 'abuse',
  manual_hold: 'manual hold',
  rotation: 'rotation',
  cancellation: 'cancellation',
  manual: 'by hand',
};

/** The state of a subscription, and what stands on it: `active, but on hold: abuse`. */
export function subscriptionText({ state, suspension }: Subscription): string {
  const causes = causesOf(suspension);
  if (causes.length === 0) return STATE_NAMES[state];
  const holds = causes.map((cause) => CAUSE_NAMES[cause]).join(', ');
  return `${STATE_NAMES[state]}${isServedState(state) ? ', but' : ','} on hold: ${holds}`;
}

const NAMES: Readonly<Record<Obstacle, string>> = { ...STATE_NAMES, ...CAUSE_NAMES };

export const obstacleNames = (obstacles: readonly Obstacle[]): string =>
  obstacles.map((obstacle) => NAMES[obstacle]).join(', ');

/** Why a key was revoked, for its holder. */
export const REVOCATION_TEXT: Readonly<Record<RevocationCause, string>> = {
  rotation: 'retired for a newer one',
  cancellation: 'the subscription ended',
  manual: 'revoked by hand',
};
