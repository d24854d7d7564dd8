import type { AccountId } from '../accounts/account.js';
import { DAY, type Duration, HOUR, MINUTE, type Moment, plus } from '../moment.js';
import type { SecretHash } from './sign-in.js';

/** The holder of a session (D107). An operator has no account; `name` is the actor in the audit log. */
export type SessionHolder =
  | { readonly kind: 'account'; readonly account: AccountId }
  | { readonly kind: 'operator'; readonly name: string; readonly by: OperatorProof };

/** The proof by which an operator signed in: the operator token, stored as a hash, or membership of the group. */
export type OperatorProof = { readonly token: SecretHash } | { readonly group: string };

export type Session = {
  readonly holder: SessionHolder;
  readonly startedAt: Moment;
  /** The time of the last stored visit. The last visit is less than `SEEN_EVERY` later. */
  readonly seenAt: Moment;
};

/**
 * `idle`: how long a session lasts without a visit. `total`: how long it lasts at most. Sessions of operators are
 * short, because operators can change every account.
 */
// biome-ignore format: a table is read by its columns
const LIFETIMES: Readonly<Record<SessionHolder['kind'], { readonly idle: Duration; readonly total: Duration }>> = {
  account:  { idle: 7 * DAY, total: 30 * DAY },
  operator: { idle: HOUR,    total: 12 * HOUR },
};

/** The time of a visit is stored at most once in this interval, not for every page. */
const SEEN_EVERY = 5 * MINUTE;

export const startSession = (holder: SessionHolder, now: Moment): Session => ({
  holder,
  startedAt: now,
  seenAt: now,
});

/** How long a browser keeps the secret of a session. */
export const longestSession = (kind: SessionHolder['kind']): Duration => LIFETIMES[kind].total;

/** When a session ends if there is no further visit. At exactly this time it has ended. */
export function sessionEndsAt({ holder, startedAt, seenAt }: Session): Moment {
  const { idle, total } = LIFETIMES[holder.kind];
  const [idleEnd, totalEnd] = [plus(seenAt, idle), plus(startedAt, total)];
  return idleEnd < totalEnd ? idleEnd : totalEnd;
}

/** Whether a proof is still valid. A change of the operator token or of the configured group ends it. */
export const isProofValid = (
  proof: OperatorProof,
  current: { readonly token: SecretHash; readonly group: string | undefined },
): boolean => ('token' in proof ? proof.token === current.token : proof.group === current.group);

export const isOpen = (session: Session, now: Moment): boolean => now < sessionEndsAt(session);

export const needsVisitNote = ({ seenAt }: Session, now: Moment): boolean => plus(seenAt, SEEN_EVERY) <= now;
