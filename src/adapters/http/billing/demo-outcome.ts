/** The outcomes that the fake processor of the demo can produce. */
export const DEMO_OUTCOMES = ['fail', 'pay', 'cancel'] as const;
export type DemoOutcome = (typeof DEMO_OUTCOMES)[number];
