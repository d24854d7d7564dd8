/**
 * Milliseconds of a clock that never steps back, from an arbitrary start. The test clock does not move it (D5). It measures
 * how long this process has waited, and never states a moment.
 */
export type MonotonicClock = () => number;
