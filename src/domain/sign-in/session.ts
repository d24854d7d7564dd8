import type { AccountId } from '../accounts/account.js';
import { DAY, type Duration, HOUR, MINUTE, type Moment, plus } from '../moment.js';
import type { SecretHash } from './sign-in.js';

/** The holder of a session. An operator has no account; `name` is the actor in the audit log. */
export type SessionHolder =
  | { readonly kind: 'account'; readonly account: AccountId }
  | { readonly kind: 'operator'; readonly name: string; readonly by: OperatorProof };

/** The proof by which an operator signed in: the operator token, stored as a hash, or membership of the group. */
export type OperatorProof = { readonly token: SecretHash } | { readonly group: string };

export type Session = {
  readonly holder: SessionHolder;
  readonly startedAt: Moment;
  /** At most `SEEN_EVERY` before the last visit of the holder. */
  readonly seenAt: Moment;
};

/** How long a session lasts without a visit, and at most. Those of operators are short: they can change every account. */
// biome-ignore format: a table is read by its columns
const LIFETIMES: Readonly<Record<SessionHolder['kind'], { readonly idle: Duration; readonly whole: Duration }>> = {
  account:  { idle: 7 * DAY, whole: 30 * DAY },
  operator: { idle: HOUR,    whole: 12 * HOUR },
};

/** Visits are stored at this interval, not for every page. */
const SEEN_EVERY = 5 * MINUTE;

export const startSession = (holder: SessionHolder, now: Moment): Session => ({
  holder,
  startedAt: now,
  seenAt: now,
});

/** How long a browser keeps the secret of a session. */
export const longestSession = (kind: SessionHolder['kind']): Duration => LIFETIMES[kind].whole;

/** When a session ends without another visit; half-open. */
export function sessionEndsAt({ holder, startedAt, seenAt }: Session): Moment {
  const { idle, whole } = LIFETIMES[holder.kind];
  const [idleEnd, wholeEnd] = [plus(seenAt, idle), plus(startedAt, whole)];
  return idleEnd < wholeEnd ? idleEnd : wholeEnd;
}

/** Whether a proof is still valid: it is not once the token or the configured group was changed. */
export const isProofValid = (
  proof: OperatorProof,
  now: { readonly token: SecretHash; readonly group: string | undefined },
): boolean => ('token' in proof ? proof.token === now.token : proof.group === now.group);

export const isOpen = (session: Session, now: Moment): boolean => now < sessionEndsAt(session);

export const needsVisitNote = ({ seenAt }: Session, now: Moment): boolean => plus(seenAt, SEEN_EVERY) <= now;
