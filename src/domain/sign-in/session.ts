import type { AccountId } from '../accounts/account.js';
import { DAY, type Duration, HOUR, MINUTE, type Moment, plus } from '../moment.js';
import type { SecretHash } from './sign-in.js';

/** Whose session it is. An operator has no account; `name` is what the audit log says of who acted. */
export type SessionHolder =
  | { readonly kind: 'account'; readonly account: AccountId }
  | { readonly kind: 'operator'; readonly name: string; readonly by: OperatorProof };

/** What somebody has shown to be an operator: the token, of which the hash is kept, or that they are in the group. */
export type OperatorProof = { readonly token: SecretHash } | { readonly group: string };

export type Session = {
  readonly holder: SessionHolder;
  readonly startedAt: Moment;
  /** Not later than `SEEN_EVERY` before the holder was last here. */
  readonly seenAt: Moment;
};

/** How long a session lasts without its holder, and at most. Operators act on everybody: theirs are short. */
// biome-ignore format: a table is read by its columns
const LIFETIMES: Readonly<Record<SessionHolder['kind'], { readonly idle: Duration; readonly whole: Duration }>> = {
  account:  { idle: 7 * DAY, whole: 30 * DAY },
  operator: { idle: HOUR,    whole: 12 * HOUR },
};

/** A visit is noted once in a while, not at every page. */
const SEEN_EVERY = 5 * MINUTE;

export const startSession = (holder: SessionHolder, now: Moment): Session => ({
  holder,
  startedAt: now,
  seenAt: now,
});

/** How long a browser has cause to keep the secret of a session. */
export const longestSession = (kind: SessionHolder['kind']): Duration => LIFETIMES[kind].whole;

/** When it ends unless its holder comes back before; half-open. */
export function sessionEndsAt({ holder, startedAt, seenAt }: Session): Moment {
  const { idle, whole } = LIFETIMES[holder.kind];
  const [idleEnd, wholeEnd] = [plus(seenAt, idle), plus(startedAt, whole)];
  return idleEnd < wholeEnd ? idleEnd : wholeEnd;
}

/** Whether a proof still counts: a token that was changed, or a group that is not the one any more, does not. */
export const isStillProof = (
  proof: OperatorProof,
  now: { readonly token: SecretHash; readonly group: string | undefined },
): boolean => ('token' in proof ? proof.token === now.token : proof.group === now.group);

export const isOpen = (session: Session, now: Moment): boolean => now < sessionEndsAt(session);

export const isToBeNoted = ({ seenAt }: Session, now: Moment): boolean => plus(seenAt, SEEN_EVERY) <= now;
