/** Why a key is refused for now (D20). The order is the one in which causes are told. */
export const SUSPENSION_CAUSES = ['payment_failure', 'abuse', 'manual_hold'] as const;

export type SuspensionCause = (typeof SUSPENSION_CAUSES)[number];

/** The causes that stand in either of two places. A key is active again when there are none (D20). */
export const union = (
  some: readonly SuspensionCause[],
  others: readonly SuspensionCause[],
): readonly SuspensionCause[] =>
  SUSPENSION_CAUSES.filter((cause) => some.includes(cause) || others.includes(cause));

export const without = (
  causes: readonly SuspensionCause[],
  lifted: SuspensionCause,
): readonly SuspensionCause[] => causes.filter((cause) => cause !== lifted);
