import type { Account, AuditContext, AuditEntry } from '../accounts/account.js';
import type { Plan } from '../billing/plan.js';
import { DAY, HOUR, MINUTE, plus } from '../moment.js';
import { type Refusal, refuse } from '../refusal.js';
import type { Destination, DestinationId, Sealed, SigningSecrets, Target } from './destination.js';
import {
  ACTIVE,
  type DestinationEvent,
  type DestinationState,
  mayOwnerEnable,
  stateAfter,
} from './destination-state.js';

/** A changed destination, with its audit entry. Null: it is removed. */
export type DestinationDecision = {
  readonly id: DestinationId;
  readonly next: Destination | null;
  readonly entries: readonly AuditEntry[];
};

/** Both secrets sign for this time after a rotation (D68). */
const SECRETS_OVERLAP = 24 * HOUR;
/** A secret is not rotated again within this time. */
const ROTATED_AGAIN = 10 * MINUTE;

/** The link that confirms a mailbox can be opened for this time. */
export const CONFIRMATION_LIFETIME = 7 * DAY;

export type NewDestination = Pick<Destination, 'id' | 'label' | 'filter' | 'target'>;

/**
 * Adds a destination to those of an account. It waits, paused, until its receiver is known: a webhook and Slack for a test, a
 * foreign mailbox for the click of its owner (D67, D71).
 */
export function createDestination(
  all: readonly Destination[],
  { id: account, email }: Pick<Account, 'id' | 'email'>,
  fresh: NewDestination,
  { destinations: limit }: Pick<Plan, 'destinations'>,
  context: AuditContext,
): DestinationDecision | Refusal<'too_many_destinations'> {
  if (all.length >= limit) return { refused: 'too_many_destinations', limit };
  const { at } = context;
  const isOwn = fresh.target.kind === 'email' && fresh.target.address === email;
  const target: Target = isOwn ? { ...fresh.target, confirmedAt: at } : fresh.target;
  const next: Destination = { ...fresh, account, target, createdAt: at, testedAt: null, state: ACTIVE };
  const state = whyNotDelivered(next) === null ? ACTIVE : stateAfter(ACTIVE, { event: 'paused' }, at);
  return decision({ ...next, state }, 'destination_created', context);
}

/** Why nothing is delivered to a destination yet; null if it may be. */
export function whyNotDelivered({
  target,
  testedAt,
}: Pick<Destination, 'target' | 'testedAt'>): Refusal<'not_tested' | 'not_confirmed'> | null {
  switch (target.kind) {
    case 'webhook':
    case 'slack':
      return testedAt === null ? refuse('not_tested') : null;
    case 'email':
      return target.confirmedAt === null ? refuse('not_confirmed') : null;
    case 'feed':
      return null;
  }
}

/** Why nothing may be sent to a destination at all, also not at the wish of its owner; null if something may be. */
export function whyNotSent(
  destination: Pick<Destination, 'target' | 'testedAt' | 'state'>,
): Refusal<'not_found' | 'not_tested' | 'not_confirmed'> | null {
  return mayOwnerEnable(destination.state)
    ? whyNotDelivered(destination)
    : { refused: 'not_found', what: 'destination that is enabled' };
}

/** What an owner or an operator may do with a destination. The outcomes of deliveries are not among it. */
export type DestinationAction =
  | Extract<DestinationEvent, { readonly event: 'paused' | 'enabled' | 'disabled' }>
  | { readonly event: 'tested' }
  | { readonly event: 'confirmed' }
  | { readonly event: 'secret_rotated'; readonly secret: Sealed }
  | ({ readonly event: 'edited' } & Pick<Destination, 'label' | 'filter'>)
  | { readonly event: 'removed' };

/** Refuses `not_found`, and to enable a destination whose receiver is not known yet. */
export function changeDestination(
  all: readonly Destination[],
  id: DestinationId,
  action: DestinationAction,
  context: AuditContext,
): DestinationDecision | Refusal<'not_found' | 'not_tested' | 'not_confirmed' | 'changed_meanwhile'> {
  const destination = all.find((other) => other.id === id);
  if (destination === undefined) return { refused: 'not_found', what: 'destination' };
  if (action.event === 'removed') {
    const { entries } = decision(destination, 'destination_removed', context);
    return { id, next: null, entries };
  }
  const refusal = action.event === 'enabled' ? whyNotDelivered(destination) : null;
  if (refusal !== null) return refusal;
  if (action.event === 'secret_rotated' && wasJustRotated(destination, context.at))
    return refuse('changed_meanwhile');
  const next = changed(destination, action, context);
  return decision(
    next,
    action.event === 'disabled' ? 'destination_disabled' : 'destination_changed',
    context,
  );
}

type Change = Exclude<DestinationAction, { readonly event: 'removed' }>;

function changed(destination: Destination, action: Change, { at }: AuditContext): Destination {
  const { state, target } = destination;
  switch (action.event) {
    case 'paused':
    case 'enabled':
      return { ...destination, state: stateAfter(state, action, at) };
    case 'disabled':
      return action.cause === 'unsubscribed'
        ? unsubscribed(destination, action, at)
        : { ...destination, state: stateAfter(state, action, at) };
    case 'edited':
      return { ...destination, label: action.label, filter: action.filter };
    case 'tested':
      return tested(destination, at);
    case 'confirmed':
      if (target.kind !== 'email' || target.confirmedAt !== null) return destination;
      return {
        ...destination,
        target: { ...target, confirmedAt: at },
        state: enabledUnlessForbidden(state, at),
      };
    case 'secret_rotated':
      if (target.kind !== 'webhook') return destination;
      return { ...destination, target: { ...target, secrets: rotated(target.secrets, action.secret, at) } };
  }
}

/** The first answer enables it. After failures its receiver answers again: the next try need not wait. */
function tested(destination: Destination, at: AuditContext['at']): Destination {
  const { state, testedAt } = destination;
  if (testedAt === null) return { ...destination, testedAt: at, state: enabledUnlessForbidden(state, at) };
  return state.status === 'failing' ? { ...destination, state: ACTIVE } : destination;
}

const enabledUnlessForbidden = (state: DestinationState, at: AuditContext['at']): DestinationState =>
  mayOwnerEnable(state) ? stateAfter(state, { event: 'enabled' }, at) : state;

/**
 * The mailbox no longer counts as confirmed, so that its destination is enabled only after its reader has agreed again. A
 * destination that an operator has disabled stays so.
 */
function unsubscribed(
  destination: Destination,
  action: Extract<DestinationAction, { readonly event: 'disabled' }>,
  at: AuditContext['at'],
): Destination {
  const { state, target } = destination;
  return {
    ...destination,
    target: target.kind === 'email' ? { ...target, confirmedAt: null } : target,
    state: mayOwnerEnable(state) ? stateAfter(state, action, at) : state,
  };
}

/** A second click on the same button: it would end the secret that the receiver has. */
const wasJustRotated = ({ target }: Destination, at: AuditContext['at']): boolean =>
  target.kind === 'webhook' &&
  target.secrets.older !== null &&
  at < plus(target.secrets.older.until, ROTATED_AGAIN - SECRETS_OVERLAP);

/** The newest secret signs, and the one before it for a day. */
const rotated = ({ current }: SigningSecrets, secret: Sealed, at: AuditContext['at']): SigningSecrets => ({
  current: secret,
  older: { secret: current, until: plus(at, SECRETS_OVERLAP) },
});

/** The secrets that sign now, the newest first. */
export const signingSecrets = (
  { current, older }: SigningSecrets,
  now: AuditContext['at'],
): readonly [Sealed, ...Sealed[]] =>
  older === null || older.until <= now ? [current] : [current, older.secret];

function decision(
  next: Destination,
  event: AuditEntry['event'],
  { actor, reason, at }: AuditContext,
): DestinationDecision {
  const about = `${next.target.kind} destination “${next.label}”`;
  const text = reason === null ? about : `${about}: ${reason}`;
  return { id: next.id, next, entries: [{ actor, at, event, key: null, reason: text }] };
}
