/** What the pretend processor of the demo can be told to do. */
export const DEMO_OUTCOMES = ['fail', 'pay', 'cancel'] as const;
export type DemoOutcome = (typeof DEMO_OUTCOMES)[number];
