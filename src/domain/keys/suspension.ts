/**
 * The causes that suspend keys, and when each of them ends (D20, D21).
 *
 * A cause applies to one key, or to a subscription and so to all its keys. While a cause applies, the answer to
 * requests with the key is 402 `key_suspended` with all causes, and the key cannot be rotated. While a cause applies to
 * the subscription, no new key can be issued either. A cause that starts ends a running grace window. When the last
 * cause ends, the same key works again, if its subscription is in force (`limits/admission.ts`).
 *
 * **Hold** (`manual_hold`). An operator places it on one key or on a subscription. Only a release by an operator, on
 * the same key or subscription, ends it. Time, payments and the end of another cause do not. A key that is revoked
 * during its own hold stays revoked, and counts towards the allowance until the release.
 *
 * **Payment failure** (`payment_failure`). The service places it on the subscription when dunning is exhausted: after 4
 * failed retries, or 14 days after the first failure (`billing/dunning.ts`, D28). It ends as soon as no invoice is
 * open: each is paid or voided, or the subscription has ended. Neither time nor an operator can end it.
 *
 * **Abuse** (`abuse`). The service places it on the subscription when it detects abuse (`limits/abuse.ts`). Only an
 * operator ends it. Time and payments do not.
 */
// biome-ignore format: a table is read by its columns
export const SUSPENSIONS = {
  payment_failure: { starts: 'payment_failed', startedBy: 'service',  ends: 'invoice_paid',  endedBy: 'payment' },
  abuse:           { starts: 'abuse_detected', startedBy: 'service',  ends: 'abuse_cleared', endedBy: 'operator' },
  manual_hold:     { starts: 'held',           startedBy: 'operator', ends: 'released',      endedBy: 'operator' },
} as const;

export type SuspensionCause = keyof typeof SUSPENSIONS;

/** In the order in which causes are listed. */
export const SUSPENSION_CAUSES = Object.keys(SUSPENSIONS) as readonly SuspensionCause[];

type Suspension = (typeof SUSPENSIONS)[SuspensionCause];

/** The events that start and end causes, on a key or on a subscription (D21). */
export type CauseEvent = Suspension['starts' | 'ends'];

/** The cause events that operators trigger. */
export type OperatorEvent =
  | Extract<Suspension, { startedBy: 'operator' }>['starts']
  | Extract<Suspension, { endedBy: 'operator' }>['ends'];

/** The cause that an event starts or ends; null for events that do neither. */
export const suspensionCauseOf = (event: string): SuspensionCause | null =>
  SUSPENSION_CAUSES.find((cause) => {
    const { starts, ends } = SUSPENSIONS[cause];
    return event === starts || event === ends;
  }) ?? null;

/** The causes in either of two lists, in listing order. A key without any is active (D20). */
export const union = (
  some: readonly SuspensionCause[],
  others: readonly SuspensionCause[],
): readonly SuspensionCause[] =>
  SUSPENSION_CAUSES.filter((cause) => some.includes(cause) || others.includes(cause));

export const without = (
  causes: readonly SuspensionCause[],
  ended: SuspensionCause,
): readonly SuspensionCause[] => causes.filter((cause) => cause !== ended);
