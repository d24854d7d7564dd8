import type { PricePoint } from '../../../domain/feed/markets/price-line.js';
import { USAGE_SPANS, type UsageBucket } from '../../../domain/limits/usage.js';
import { HOUR, MINUTE, type Moment, plus } from '../../../domain/moment.js';

/** A time that is the same at every start. */
export const NOW = '2026-03-03T14:00:00.000000Z' as Moment;
export const SOON = plus(NOW, 5 * MINUTE);

export const SPAN = USAGE_SPANS['24h'];

export const POINTS: readonly PricePoint[] = [0.38, 0.44, 0.64, 0.55].map((yesAsk, i) => ({
  at: plus(NOW, i * HOUR),
  yesAsk,
}));

/** A day with a morning, a peak, and an hour with errors. */
export const HOURS: readonly UsageBucket[] = Array.from({ length: SPAN.buckets }, (_, i) => {
  const served = i < 6 ? 0 : 10 * (1 + ((i * 7) % 12));
  const failed = i === 15 ? 20 : 0;
  return {
    start: plus(NOW, (i - SPAN.buckets) * HOUR),
    requests: served + 4 + failed,
    byStatusClass: { '2xx': served, '3xx': 0, '4xx': 4, '5xx': failed },
  };
});
