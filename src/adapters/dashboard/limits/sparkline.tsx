import type { UsageBucket } from '../../../domain/limits/usage.js';

const WIDTH = 96;
const HEIGHT = 24;
const GAP = 1;

/** Requests as small bars, oldest first, with their sum as text for readers of screens. `period` completes the text: `in 24 hours`. */
export const Sparkline = ({
  buckets,
  period,
}: {
  readonly buckets: readonly Pick<UsageBucket, 'start' | 'requests'>[];
  readonly period: string;
}) => {
  const most = Math.max(1, ...buckets.map(({ requests }) => requests));
  const total = buckets.reduce((sum, { requests }) => sum + requests, 0);
  const step = WIDTH / Math.max(1, buckets.length);
  const label = `${total.toLocaleString('en-US')} ${total === 1 ? 'request' : 'requests'} ${period}`;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <path class="floor" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      {buckets.map(({ start, requests }, i) => {
        // A bar with few requests beside one with many is still seen.
        const height = requests === 0 ? 0 : Math.max(2, Math.round((requests / most) * HEIGHT));
        return height === 0 ? null : (
          <rect
            key={start}
            x={rounded(i * step)}
            y={HEIGHT - height}
            width={rounded(step - GAP)}
            height={height}
          />
        );
      })}
    </svg>
  );
};

const rounded = (value: number): number => Math.round(value * 10) / 10;
