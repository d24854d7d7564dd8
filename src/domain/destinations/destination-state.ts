import { between, DAY, type Duration, HOUR, MINUTE, type Moment, plus, SECOND } from '../moment.js';

/** Why a destination is disabled. `gone`: it answered 410. `failed`: it failed for three days. `unsubscribed`: by its reader. */
export type DisabledCause = 'gone' | 'failed' | 'operator' | 'unsubscribed';

export type DestinationState =
  | { readonly status: 'active' }
  | {
      readonly status: 'failing';
      readonly since: Moment;
      /** The tries that failed since then. */
      readonly tries: number;
      readonly nextAt: Moment;
    }
  | {
      readonly status: 'disabled';
      readonly cause: DisabledCause;
      readonly at: Moment;
      /** The reason of the operator. */
      readonly reason: string | null;
    }
  | { readonly status: 'paused'; readonly at: Moment };

export type DestinationStatus = DestinationState['status'];

/** What happens to a destination. The first three are the outcomes of a delivery. */
export type DestinationEvent =
  | { readonly event: 'delivered' }
  /** `retryAfter`: how long the receiver asked to wait; null if it did not. `jitter`: from 0 to 1. */
  | { readonly event: 'failed'; readonly retryAfter: Duration | null; readonly jitter: number }
  | { readonly event: 'gone' }
  | { readonly event: 'paused' }
  | { readonly event: 'enabled' }
  | {
      readonly event: 'disabled';
      readonly cause: 'operator' | 'unsubscribed';
      readonly reason: string | null;
    };

export const ACTIVE: DestinationState = { status: 'active' };

/** The delay before each repeat; the last one stays (D69). */
const DELAYS: readonly Duration[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE];
const LAST_DELAY: Duration = 30 * MINUTE;
/** A delay is up to this share longer, so that receivers that failed together are not tried together. */
const JITTER = 0.2;
/** A receiver may ask for this delay at most. */
const RETRY_AFTER_MAX: Duration = HOUR;

/** The owner gets a mail after this time of failures. */
export const MAILED_AFTER: Duration = HOUR;
/** A destination that fails for so long is disabled. */
const DISABLED_AFTER: Duration = 3 * DAY;

/** The delay after this number of failed tries. The receiver may ask for a longer one, but not for a shorter one. */
export function retryDelay(tries: number, retryAfter: Duration | null, jitter: number): Duration {
  const delay = DELAYS[tries - 1] ?? LAST_DELAY;
  const longer = Math.round(delay * (1 + JITTER * jitter));
  return Math.max(longer, Math.min(retryAfter ?? 0, RETRY_AFTER_MAX));
}

type In<Status extends DestinationStatus> = Extract<DestinationState, { readonly status: Status }>;
type On<Event extends DestinationEvent['event']> = Extract<DestinationEvent, { readonly event: Event }>;
type Transition<Status extends DestinationStatus, Event extends DestinationEvent['event']> = (
  state: In<Status>,
  event: On<Event>,
  at: Moment,
) => DestinationState;

/**
 * The life of a destination (D66, D69). A disabled or paused destination keeps its position, and goes on from there. The
 * outcome of a delivery that was under way when it was disabled or paused does not change its state.
 */
// biome-ignore format: a table is read by its columns
const TRANSITIONS: { readonly [E in DestinationEvent['event']]: { readonly [S in DestinationStatus]: Transition<S, E> } } = {
  delivered: { active: keep,     failing: activate, disabled: keep,     paused: keep },
  failed:    { active: fail,     failing: fail,     disabled: keep,     paused: keep },
  gone:      { active: end,      failing: end,      disabled: keep,     paused: keep },
  paused:    { active: pause,    failing: pause,    disabled: keep,     paused: keep },
  enabled:   { active: keep,     failing: activate, disabled: activate, paused: activate },
  disabled:  { active: disable,  failing: disable,  disabled: disable,  paused: disable },
};

export function stateAfter(state: DestinationState, event: DestinationEvent, at: Moment): DestinationState {
  const transition = TRANSITIONS[event.event][state.status] as Transition<
    DestinationStatus,
    DestinationEvent['event']
  >;
  return transition(state, event, at);
}

/** Whether something may be sent now. */
export const isDue = (state: DestinationState, now: Moment): boolean =>
  state.status === 'active' || (state.status === 'failing' && state.nextAt <= now);

/** Whether it is delivered to at all, now or after a wait. */
export const isDelivered = ({ status }: DestinationState): boolean =>
  status === 'active' || status === 'failing';

/** Whether the owner may enable it again, too: what an operator has disabled, only an operator enables. */
export const mayOwnerEnable = (state: DestinationState): boolean =>
  !(state.status === 'disabled' && state.cause === 'operator');

/** The mail that the owner gets because of this change of state; null for none (D69). */
export function mailDue(
  before: DestinationState,
  after: DestinationState,
  at: Moment,
): 'failing' | 'disabled' | null {
  if (after.status === 'disabled')
    return isDelivered(before) && after.cause !== 'unsubscribed' ? 'disabled' : null;
  return after.status === 'failing' && between(after.since, at) >= MAILED_AFTER ? 'failing' : null;
}

function keep(state: DestinationState): DestinationState {
  return state;
}

function activate(): DestinationState {
  return ACTIVE;
}

function pause(_state: DestinationState, _event: DestinationEvent, at: Moment): DestinationState {
  return { status: 'paused', at };
}

function end(_state: DestinationState, _event: DestinationEvent, at: Moment): DestinationState {
  return { status: 'disabled', cause: 'gone', at, reason: null };
}

function disable(_state: DestinationState, { cause, reason }: On<'disabled'>, at: Moment): DestinationState {
  return { status: 'disabled', cause, at, reason };
}

function fail(
  state: In<'active' | 'failing'>,
  { retryAfter, jitter }: On<'failed'>,
  at: Moment,
): DestinationState {
  const { since, tries } = state.status === 'failing' ? state : { since: at, tries: 0 };
  if (between(since, at) >= DISABLED_AFTER) return { status: 'disabled', cause: 'failed', at, reason: null };
  const failed = tries + 1;
  return {
    status: 'failing',
    since,
    tries: failed,
    nextAt: plus(at, retryDelay(failed, retryAfter, jitter)),
  };
}
