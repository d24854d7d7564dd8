export const RESULTS = ['ok', 'warning', 'failed', 'skipped'] as const;
/** What a check found. A check of something that is not configured is skipped. */
type Result = (typeof RESULTS)[number];

/** The result of a check in sentences for operators. `advice` is what to do; null if there is nothing to do. */
export type Finding = { readonly result: Result; readonly detail: string; readonly advice: string | null };

export type Check = Finding & { readonly check: string };

export const ok = (detail: string): Finding => ({ result: 'ok', detail, advice: null });
export const skipped = (detail: string): Finding => ({ result: 'skipped', detail, advice: null });
export const warning = (detail: string, advice: string): Finding => ({ result: 'warning', detail, advice });
export const failed = (detail: string, advice: string): Finding => ({ result: 'failed', detail, advice });

/** The exit code of a command that ran these checks: 1 if one failed. */
export const exitCodeOf = (findings: readonly Finding[]): 0 | 1 =>
  findings.some(({ result }) => result === 'failed') ? 1 : 0;
