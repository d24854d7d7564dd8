import {
  STATUS_CLASSES,
  type StatusClass,
  type UsageBucket,
  type UsageRange,
  type UsageSpan,
} from '../../../domain/limits/usage.js';
import { epochSeconds, SECOND } from '../../../domain/moment.js';
import { At, Day } from '../page/moment.js';

export const MEANINGS: Readonly<Record<StatusClass, string>> = {
  '2xx': 'served',
  '3xx': 'not modified',
  '4xx': 'refused, or not valid',
  '5xx': 'error of the service',
};

const UNITS: Readonly<Record<UsageRange, string>> = {
  '1h': 'Minute',
  '24h': 'Hour',
  '7d': '6 hours from',
  '30d': 'Day',
};

export const RANGE_NAMES: Readonly<Record<UsageRange, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

type ChartProps = {
  readonly range: UsageRange;
  readonly span: UsageSpan;
  readonly buckets: readonly UsageBucket[];
  /** The quota of a day, if it is to be drawn. */
  readonly quota: number | null;
};

/** Requests by time and status. A script draws the chart from the table (`browser/chart.ts`), which has no rows of zeros. */
export const UsageChart = ({ range, span, buckets, quota }: ChartProps) => {
  const used = buckets.filter(({ requests }) => requests > 0);
  const [first] = buckets;
  return (
    <section aria-labelledby="chart-title">
      <h2 id="chart-title">{RANGE_NAMES[range]}</h2>
      <ul class="legend">
        {STATUS_CLASSES.map((statusClass) => (
          <li key={statusClass}>
            <span class={`swatch status-${statusClass}`} /> {statusClass} {MEANINGS[statusClass]}
          </li>
        ))}
        {quota !== null && <li>Dashed: the quota of a day, {quota.toLocaleString('en-US')}</li>}
      </ul>
      <div
        class="chart"
        data-chart="usage"
        data-first={first === undefined ? 0 : epochSeconds(first.start)}
        data-step={span.length / SECOND}
        data-bars={buckets.length}
        data-quota={quota ?? undefined}
        aria-hidden="true"
        hidden
      />
      <details open>
        <summary>Show as table</summary>
        {used.length === 0 ? (
          <p>No requests.</p>
        ) : (
          <div class="wide-content">
            <UsageTable range={range} used={used} />
          </div>
        )}
      </details>
    </section>
  );
};

const UsageTable = ({
  range,
  used,
}: {
  readonly range: UsageRange;
  readonly used: readonly UsageBucket[];
}) => (
  <table id="usage">
    <caption>Requests by status, {RANGE_NAMES[range].toLowerCase()}</caption>
    <thead>
      <tr>
        <th scope="col">{UNITS[range]}</th>
        {[...STATUS_CLASSES, 'Total'].map((column) => (
          <th key={column} scope="col" class="number">
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {used.map(({ start, requests, byStatusClass }) => (
        <tr key={start}>
          <th scope="row">{range === '30d' ? <Day at={start} /> : <At at={start} />}</th>
          {STATUS_CLASSES.map((statusClass) => (
            <td key={statusClass} class="number">
              {byStatusClass[statusClass]}
            </td>
          ))}
          <td class="number">{requests}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
