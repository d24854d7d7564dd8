import type { Limit } from './rate-limit.js';

/** In the first part of a window a few requests would forecast anything. */
const SHARE_OF_WINDOW_MIN = 1 / 24;

export type Forecast = {
  /** The share of the quota that is used when the window ends. It can be more than 1. */
  readonly share: number;
  /** Seconds until the quota is exhausted; null if the window ends before. */
  readonly exhaustedInSeconds: number | null;
};

/** What a window ends with at the average rate since its begin; null at its begin, when the rate is not known. */
export function forecast({ policy, remaining, secondsLeft }: Omit<Limit, 'endsAt'>): Forecast | null {
  const elapsed = policy.seconds - secondsLeft;
  if (elapsed < policy.seconds * SHARE_OF_WINDOW_MIN) return null;
  const perSecond = (policy.quota - remaining) / elapsed;
  const exhaustedInSeconds = Math.ceil(remaining / perSecond);
  return {
    share: (perSecond * policy.seconds) / policy.quota,
    exhaustedInSeconds: perSecond > 0 && exhaustedInSeconds < secondsLeft ? exhaustedInSeconds : null,
  };
}
