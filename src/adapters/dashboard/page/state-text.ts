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
 * Every text about a plan or the state of a subscription or key. The tables are complete by type. `states.spec.ts`
 * compares the status codes with the answers of the API, and `email-templates.spec.ts` the reasons with the emails.
 */
type ObstacleText = {
  /** Status code of the API for keys of the subscription. */
  readonly answers: 401 | 402;
  readonly why: string;
  /** How to restore access. `restoreOwing` applies while an invoice is known to be open. */
  readonly restore: string;
  readonly restoreOwing?: string;
};

// biome-ignore format: a table is read by its columns
const OBSTACLES: Readonly<Record<Obstacle, ObstacleText>> = {
  canceled:        { answers: 401, why: 'The subscription has ended. Its keys are permanently revoked.', restore: 'Contact us to subscribe again: this account cannot start another checkout. Then create new keys.' },
  incomplete:      { answers: 402, why: 'The first payment is not complete.',                            restore: 'Complete the first payment.' },
  paused:          { answers: 402, why: 'The subscription is paused.',                                   restore: 'Resume the subscription.' },
  unpaid:          { answers: 402, why: 'The subscription is unpaid.',                                   restore: 'Check your payment method.', restoreOwing: 'Pay every open invoice.' },
  payment_failure: { answers: 402, why: 'An invoice was not paid in time.',                              restore: 'Check your payment method.', restoreOwing: 'Pay every open invoice.' },
  abuse:           { answers: 402, why: 'The use of your keys looks like abuse.',                      restore: 'Contact us and tell us which programs use your keys.' },
  manual_hold:     { answers: 402, why: 'We placed a hold.',                                             restore: 'Contact us to have it released.' },
};

const OWING_AS_WELL = 'A payment also failed. Pay every open invoice.';

/**
 * Why requests are refused and how to restore access, each sentence once. An open invoice that does not block access yet
 * comes last.
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
 * Status code of the API for keys with these obstacles; null if there are none. The first obstacle decides, in the order
 * of `obstaclesOf`.
 */
export const answersOf = ([first]: readonly Obstacle[]): number | null =>
  first === undefined ? null : OBSTACLES[first].answers;

type Refused = Extract<Access, { readonly status: 'refused' }>;

/** Status code of the API for keys of a refused account. Revoked keys return 401 in every state. */
export const refusedAnswer = ({ obstacles, keysAreRevoked }: Refused): number | null =>
  answersOf(keysAreRevoked ? ['canceled'] : obstacles);

/** What happens to the keys once the obstacles are gone. */
export const restoredText = ({ obstacles, keysAreRevoked }: Refused): string => {
  if (obstacles.includes('canceled')) return 'Old keys stay revoked.';
  if (keysAreRevoked) return 'Then create new keys: old keys stay revoked.';
  return obstacles.length === 1
    ? 'Your keys then work again, unchanged.'
    : 'Your keys work again, unchanged, once all problems are resolved.';
};

export type BadgeKind = 'good' | 'warning' | 'bad' | 'off';
type BadgeText = { readonly kind: BadgeKind; readonly text: string };

/** The badge of a key: whether requests with it are served, or the status code that they return. */
// biome-ignore format: a table is read by its columns
export const KEY_BADGES: Readonly<Record<AccessRefusal['refused'] | 'active' | 'in_grace', BadgeText>> = {
  active:                  { kind: 'good',    text: 'Active' },
  in_grace:                { kind: 'warning', text: 'Expiring' },
  key_revoked:             { kind: 'off',     text: 'Revoked (401)' },
  key_suspended:           { kind: 'bad',     text: 'Suspended (402)' },
  payment_required:        { kind: 'bad',     text: 'Payment required (402)' },
  subscription_incomplete: { kind: 'bad',     text: 'Subscription incomplete (402)' },
  subscription_paused:     { kind: 'bad',     text: 'Subscription paused (402)' },
};

export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** In lower case, to be used within a sentence. */
const STATE_NAMES: Readonly<Record<SubscriptionState, string>> = {
  trialing: 'trial',
  active: 'active',
  incomplete: 'incomplete',
  paused: 'paused',
  unpaid: 'unpaid',
  canceled: 'canceled',
};

/** In lower case, to be used within a sentence. */
export const CAUSE_NAMES: Readonly<Record<SuspensionCause | RevocationCause, string>> = {
  payment_failure: 'payment failure',
  abuse: 'abuse',
  manual_hold: 'manual hold',
  rotation: 'rotation',
  cancellation: 'cancellation',
  manual: 'manual revocation',
  expiry: 'expiry',
};

const SUSPENDED_FOR: Readonly<Record<SuspensionCause, string>> = {
  payment_failure: 'invoice unpaid',
  abuse: 'abuse',
  manual_hold: 'manual hold',
};

/**
 * The state of a subscription and the causes of its suspension: `Suspended: invoice unpaid`. A state that is served without the
 * suspension is left out.
 */
export function subscriptionText({ state, suspension }: Subscription): string {
  const causes = causesOf(suspension);
  const name = STATE_NAMES[state];
  if (causes.length === 0) return capitalized(name);
  const suspended = `suspended: ${causes.map((cause) => SUSPENDED_FOR[cause]).join(', ')}`;
  return capitalized(isServedState(state) ? suspended : `${name}, ${suspended}`);
}

const NAMES: Readonly<Record<Obstacle, string>> = { ...STATE_NAMES, ...CAUSE_NAMES };

export const obstacleNames = (obstacles: readonly Obstacle[]): string =>
  obstacles.map((obstacle) => NAMES[obstacle]).join(', ');

/** Why a key was revoked, as its owner reads it. */
export const REVOCATION_TEXT: Readonly<Record<RevocationCause, string>> = {
  rotation: 'replaced by a newer key',
  cancellation: 'the subscription ended',
  manual: 'revoked manually',
  expiry: 'its expiry has passed',
};
